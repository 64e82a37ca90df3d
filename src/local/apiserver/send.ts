import type { ServerResponse } from 'node:http';
import type { Representation } from './request/negotiation.ts';

/** A whole answer, with what the client should be warned of. */
export function send(
  response: ServerResponse,
  code: number,
  body: string,
  format: Representation['format'],
  warnings: readonly string[],
): void {
  const headers: [string, string][] = [
    ['content-type', format === 'yaml' ? 'application/yaml' : 'application/json'],
    ['cache-control', 'no-cache, private'],
    ['content-length', String(Buffer.byteLength(body))],
    ...[...new Set(warnings)].map((text): [string, string] => ['warning', `299 - ${quoted(text)}`]),
  ];
  for (const [name, value] of headers) response.appendHeader(name, value);
  response.writeHead(code);
  response.end(body);
}

/** A header holds Latin-1 only; a client gets the gist of anything else. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(/[^\x20-\x7e]/g, '?');
}
