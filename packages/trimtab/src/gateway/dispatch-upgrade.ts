import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { systemClock } from '@trimtab/kube/clock.ts';
import type { PodToken } from './admit-request.ts';
import { type DispatchOptions, knownUser, refuse, refusePodToken } from './dispatch.ts';
import type { Principal } from './identity/principal.ts';
import { closeGracefully } from './proxy/close-gracefully.ts';

export interface UpgradeOptions
  extends Pick<
    DispatchOptions,
    'admit' | 'streams' | 'log' | 'stopping' | 'metrics' | 'accessLog' | 'names' | 'clock'
  > {
  /** Resolves with the status code of the API server's response when the connection is closed. */
  passUpgrade(principal: Principal, incoming: IncomingMessage, socket: Socket, head: Buffer): Promise<number>;
}

/** The gateway's own routes support no upgrades: an upgrade request is proxied to the API server or refused. */
export async function dispatchUpgrade(
  options: UpgradeOptions,
  incoming: IncomingMessage,
  socket: Socket,
  head: Buffer,
): Promise<void> {
  let principal: Principal | PodToken | undefined;
  let leave = () => {};
  const ended = options.accessLog(incoming);
  const answered = (status: number) => {
    options.metrics.answered('upgrade', incoming.method ?? '', status, undefined);
    const user = knownUser(options.names, principal);
    ended({ route: 'upgrade', status, principal, caller: undefined, user, isBroken: false, isStream: true });
  };
  try {
    const admission = options.admit(incoming);
    principal = admission.principal;
    leave = options.streams.enter(admission.address, admission.credential);
    answered(await options.passUpgrade(refusePodToken(principal), incoming, socket, head));
  } catch (error) {
    // Node's HTTP server has detached the socket already, so the response is attached to it by hand.
    const response = new ServerResponse(incoming);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => closeGracefully(socket, options.clock ?? systemClock));
    refuse(options, response, error);
    answered(response.statusCode);
  } finally {
    leave();
  }
}
