import type { ServerResponse } from 'node:http';
import type { Clock } from '@trimtab/kube/clock.ts';

/** How long, and how many bytes, a client may go on sending after its request was refused. */
const lingerMs = 5_000;
const maxBytes = 16 * 1024 * 1024;

/**
 * Ends a response whose request body has not been read. The connection is closed after it, but not before the client has
 * sent its body or has closed the connection: a reset could overtake the response.
 */
export function endAfterBody(response: ServerResponse, clock: Clock): void {
  const { req: incoming, socket } = response;
  if (response.destroyed) return;
  const end = () => {
    cancel();
    incoming.off('data', count).off('end', end).off('close', end);
    // Bun does not close the connection of a response that ends later than its body.
    response.end(() => socket?.destroySoon());
  };
  let left = maxBytes;
  const count = (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) end();
  };
  const cancel = clock.after(lingerMs, end);
  incoming.unpipe().on('data', count).once('end', end).once('close', end).resume();
}
