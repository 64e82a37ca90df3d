import type { Socket } from 'node:net';
import type { Clock } from '@trimtab/kube/clock.ts';

/** How long a client may take to end its side, too. */
const lingerMs = 5_000;

/**
 * Ends a connection that HTTP has let go of. What was written still goes out, and what the client says meanwhile is
 * heard by nobody: a reset could overtake our last words, and ends a `kubectl port-forward` in between with all that it
 * carries.
 */
export function endGently(socket: Socket, clock: Clock): void {
  socket.resume().end();
  const cancel = clock.after(lingerMs, () => socket.destroy());
  socket.once('close', cancel);
}
