import type { Socket } from 'node:net';
import type { Clock } from '@trimtab/kube/clock.ts';

/** How long a client may take to close its side of the connection. */
const lingerMs = 5_000;

/**
 * Closes a socket that Node's HTTP server has detached. Written data is still sent, and data from the client is
 * discarded: a reset could overtake the last bytes, and it ends a `kubectl port-forward` in between with all its
 * connections.
 */
export function closeGracefully(socket: Socket, clock: Clock): void {
  socket.resume().end();
  const cancel = clock.after(lingerMs, () => socket.destroy());
  socket.once('close', cancel);
}
