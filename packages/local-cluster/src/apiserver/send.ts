import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { Representation } from './request/negotiation.ts';

const compress = promisify(gzip);

/** Compression of smaller responses costs more than it saves. Kubernetes has the same threshold. */
const worthPacking = 128 * 1024;

/** Sends a complete response, with the warnings as Warning headers. */
export async function send(
  response: ServerResponse,
  code: number,
  body: string | readonly string[],
  format: Representation['format'],
  warnings: readonly string[],
): Promise<void> {
  const whole = typeof body === 'string' ? [body] : body;
  const length = whole.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
  const isPacked = code === 200 && length > worthPacking && takesGzip(response);
  const pieces = isPacked ? [await packedUp(whole)] : whole;
  const headers: [string, string][] = [
    ['content-type', format === 'yaml' ? 'application/yaml' : 'application/json'],
    ['cache-control', 'no-cache, private'],
    ['content-length', String(isPacked ? pieces[0]?.length : length)],
    ...(isPacked ? packed : []),
    ...[...new Set(warnings)].map((text): [string, string] => ['warning', `299 - ${quoted(text)}`]),
  ];
  for (const [name, value] of headers) response.appendHeader(name, value);
  response.writeHead(code);
  await write(response, pieces);
}

/** Writes the pieces at the client's pace. Written at once, all of them would be buffered again, encrypted for TLS. */
async function write(response: ServerResponse, pieces: readonly (string | Buffer)[]): Promise<void> {
  for (const piece of pieces.slice(0, -1)) {
    if (!response.write(piece)) await drained(response);
    if (response.destroyed) return;
  }
  response.end(pieces.at(-1));
}

/** Resolves when the response is drained or its connection is closed. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

function packedUp(pieces: readonly string[]): Promise<Buffer> {
  return compress(Buffer.from(pieces.join('')), { level: constants.Z_BEST_SPEED });
}

const packed: [string, string][] = [
  ['content-encoding', 'gzip'],
  ['vary', 'Accept-Encoding'],
];

function takesGzip({ req }: ServerResponse): boolean {
  const accepted = req.headers['accept-encoding'];
  return String(accepted ?? '')
    .split(',')
    .some((each) => each.trim() === 'gzip');
}

/** Quotes a warning. A header holds Latin-1 only, so characters outside of printable ASCII become `?`. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(/[^\x20-\x7e]/g, '?');
}
