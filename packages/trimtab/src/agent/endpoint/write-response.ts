import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '@trimtab/kube/clock.ts';
import type { RequestError } from './request-error.ts';

interface Answer {
  status: number;
  headers?: Readonly<Record<string, string>>;
  body?: Buffer;
}

/** A client that does not read its response in this time loses its connection. */
const timeoutMs = 30_000;
const chunkBytes = 65_536;

/** Sends a response, in parts: a client that reads slowly must not hold an encrypted copy of a large body in memory. */
export async function writeResponse(response: ServerResponse, answer: Answer, clock: Clock): Promise<void> {
  const { status, headers, body } = answer;
  if (response.destroyed) return;
  response.once(
    'close',
    clock.after(timeoutMs, () => response.destroy()),
  );
  response.writeHead(status, {
    'cache-control': 'no-store',
    ...(body !== undefined && { 'content-length': String(body.length) }),
    ...headers,
  });
  // The response to HEAD has the length of the body, and no body.
  if (body === undefined || response.req.method === 'HEAD') return void response.end();
  if (body.length <= chunkBytes) return void response.end(body);
  // The client may close the connection at any time.
  await pipeline(Readable.from(chunksOf(body)), response).catch(() => {});
}

export function writeJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  clock: Clock,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const body = Buffer.from(`${JSON.stringify(value)}\n`);
  return writeResponse(
    response,
    { status, headers: { 'content-type': 'application/json', ...headers }, body },
    clock,
  );
}

/** An unread body of the request is discarded, and the connection is not used again. */
export function writeError(response: ServerResponse, error: RequestError, clock: Clock): Promise<void> {
  const { status, message, headers } = error;
  const { req: request } = response;
  const mustClose = isIncomplete(request) || status === 401 || status === 403;
  request.resume();
  return writeJson(response, status, { message }, clock, {
    ...headers,
    ...(mustClose && { connection: 'close' }),
  });
}

/** A request without a body is not `complete` either while its headers are handled. */
function isIncomplete({ headers, complete }: IncomingMessage): boolean {
  const hasBody = headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
  return hasBody && !complete;
}

function* chunksOf(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += chunkBytes) yield body.subarray(at, at + chunkBytes);
}
