import type { IncomingMessage } from 'node:http';
import { badRequest, StatusError } from '../answer/status-error.ts';

/** What the API server takes, in bytes: nothing larger would get through it. */
const maxBodyBytes = 3 * 1024 * 1024;

/**
 * The whole body, or the API server's own words for one that is too large; no more than that is kept in memory. What
 * is a little too large is read to its end all the same: a client that is still sending may never see the answer.
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
