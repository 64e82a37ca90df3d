import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type DispatchOptions, person, refuse } from './dispatch.ts';
import type { Asker } from './who/asker.ts';

export interface UpgradeOptions extends Pick<DispatchOptions, 'admit' | 'log' | 'stopping' | 'metrics'> {
  passUpgrade(who: Asker, incoming: IncomingMessage, socket: Socket, head: Buffer): Promise<void>;
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
    await options.passUpgrade(person(options.admit(incoming)), incoming, socket, head);
    answered(101);
  } catch (error) {
    // HTTP has let go of the connection already; this is its answer nevertheless.
    const response = new ServerResponse(incoming);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => socket.end());
    refuse(options, response, error);
    answered(response.statusCode);
  }
}
