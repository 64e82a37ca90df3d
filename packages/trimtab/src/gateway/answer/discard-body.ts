import type { IncomingMessage } from 'node:http';

/** Bytes of a body that are read and discarded to keep a connection. A client that sends more has to connect again. */
const maxDiscardedBytes = 64 * 1024;

/**
 * Prepares the refusal of a request whose body may be unread, and returns whether the connection is kept. The rest of a
 * body would be parsed as the next request: a small one is discarded, any other ends the connection. What follows a
 * request that is not valid may be something else than its body, so it ends the connection as well.
 */
export function discardBody(request: IncomingMessage, code: number): boolean {
  const { complete, headers } = request;
  const length = Number(headers['content-length'] ?? 0);
  const isChunked = headers['transfer-encoding'] !== undefined;
  if (complete || (!isChunked && length === 0)) return true;
  if (code === 400 || isChunked || length > maxDiscardedBytes) return false;
  request.resume();
  return true;
}
