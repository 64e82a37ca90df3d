import type { ServerResponse } from 'node:http';
import { TLSSocket } from 'node:tls';

/** Breaks the client's connection as a crash would: with a TCP reset, or with an abrupt close on TLS. */
export function resetConnection(response: ServerResponse): void {
  const { socket } = response;
  if (!socket) return;
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}
