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
  body: string,
  format: Representation['format'],
  warnings: readonly string[],
): Promise<void> {
  const text = Buffer.from(body);
  const isPacked = code === 200 && text.length > worthPacking && takesGzip(response);
  const bytes = isPacked ? await compress(text, { level: constants.Z_BEST_SPEED }) : text;
  const headers: [string, string][] = [
    ['content-type', format === 'yaml' ? 'application/yaml' : 'application/json'],
    ['cache-control', 'no-cache, private'],
    ['content-length', String(bytes.length)],
    ...(isPacked ? packed : []),
    ...[...new Set(warnings)].map((text): [string, string] => ['warning', `299 - ${quoted(text)}`]),
  ];
  for (const [name, value] of headers) response.appendHeader(name, value);
  response.writeHead(code);
  response.end(bytes);
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
