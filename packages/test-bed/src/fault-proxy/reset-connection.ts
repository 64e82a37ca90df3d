import type { ServerResponse } from 'node:http';
import { TLSSocket } from 'node:tls';

/** Ends the client's connection as a crash would: a reset where there is no TLS, a sudden end where there is. */
export function resetConnection(response: ServerResponse): void {
  const { socket } = response;
  if (!socket) return;
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}
