import type { IncomingMessage } from 'node:http';
import { badRequest } from '../../versions/refusal.ts';
import { StatusError } from '../answer/status-error.ts';

/** The API server's own limit, in bytes. */
const maxBodyBytes = 3 * 1024 * 1024;

/**
 * Reads the whole body, or throws the API server's own error for one above the limit. At most `limit` bytes are kept in
 * memory. A body of up to four times the limit is read to its end before it is refused: a client that is still sending
 * may never read the response.
 */
export async function readBody(incoming: IncomingMessage, limit = maxBodyBytes): Promise<Buffer> {
  const patience = 4 * limit;
  if (Number(incoming.headers['content-length'] ?? 0) > patience) throw tooLarge(limit);
  let chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    length += chunk.length;
    if (length > patience) throw tooLarge(limit);
    if (length > limit) chunks = [];
    else chunks.push(chunk);
  }
  if (length > limit) throw tooLarge(limit);
  return Buffer.concat(chunks);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function textOf(body: Buffer): string {
  try {
    return utf8.decode(body);
  } catch {
    throw badRequest('the body is not valid UTF-8');
  }
}

function tooLarge(limit: number): StatusError {
  return new StatusError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${limit}`);
}
