import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { systemClock } from '@trimtab/kube/clock.ts';
import { type DispatchOptions, refuse, refusePodToken } from './dispatch.ts';
import type { Principal } from './identity/principal.ts';
import { endGently } from './proxy/end-gently.ts';

export interface UpgradeOptions
  extends Pick<DispatchOptions, 'admit' | 'log' | 'stopping' | 'metrics' | 'clock'> {
  /** Resolves with the code of the API server's answer when the connection is over. */
  passUpgrade(principal: Principal, incoming: IncomingMessage, socket: Socket, head: Buffer): Promise<number>;
}

/** None of our routes speaks another protocol: whoever asks for one gets the API server, or a refusal. */
export async function dispatchUpgrade(
  options: UpgradeOptions,
  incoming: IncomingMessage,
  socket: Socket,
  head: Buffer,
): Promise<void> {
  const answered = (code: number) =>
    options.metrics.answered('upgrade', incoming.method ?? '', code, undefined);
  try {
    answered(await options.passUpgrade(refusePodToken(options.admit(incoming)), incoming, socket, head));
  } catch (error) {
    // HTTP has let go of the connection already; this is its answer nevertheless.
    const response = new ServerResponse(incoming);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => endGently(socket, options.clock ?? systemClock));
    refuse(options, response, error);
    answered(response.statusCode);
  }
}
