import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { systemClock } from '@trimtab/kube/clock.ts';
import { type DispatchOptions, refuse, refusePodToken } from './dispatch.ts';
import type { Principal } from './identity/principal.ts';
import { closeGracefully } from './proxy/close-gracefully.ts';

export interface UpgradeOptions
  extends Pick<DispatchOptions, 'admit' | 'log' | 'stopping' | 'metrics' | 'clock'> {
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
  const answered = (code: number) =>
    options.metrics.answered('upgrade', incoming.method ?? '', code, undefined);
  try {
    answered(
      await options.passUpgrade(refusePodToken(options.admit(incoming).principal), incoming, socket, head),
    );
  } catch (error) {
    // Node's HTTP server has detached the socket already, so the response is attached to it by hand.
    const response = new ServerResponse(incoming);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => closeGracefully(socket, options.clock ?? systemClock));
    refuse(options, response, error);
    answered(response.statusCode);
  }
}
