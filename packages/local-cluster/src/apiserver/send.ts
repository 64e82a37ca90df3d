import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { Representation } from './request/negotiation.ts';

const compress = promisify(gzip);

/** Below this, packing and unpacking costs more than it saves; Kubernetes draws the line here, too. */
const worthPacking = 128 * 1024;

/** A whole answer, with what the client should be warned of. */
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

/** One after the other, as fast as the client reads: all at once, they would be in memory again, packed for TLS. */
async function write(response: ServerResponse, pieces: readonly (string | Buffer)[]): Promise<void> {
  for (const piece of pieces.slice(0, -1)) {
    if (!response.write(piece)) await drained(response);
    if (response.destroyed) return;
  }
  response.end(pieces.at(-1));
}

/** Or gone. */
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

/** A header holds Latin-1 only; a client gets the gist of anything else. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(/[^\x20-\x7e]/g, '?');
}
