import type { IncomingHttpHeaders } from 'node:http';
import { quoted } from '../../core/messages/quoted.ts';
import { badRequest } from '../../versions/refusal.ts';
import { StatusError } from '../answer/status-error.ts';
import { checkConnection } from './check-connection.ts';
import type { RawHeaders } from './hop-by-hop.ts';

export interface RequestHead {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  rawHeaders: RawHeaders;
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** Fewer than any parser takes: Bun refuses the 199th, and earlier releases of Node drop what follows the 1,000th. */
const maxHeaders = 190;
/** Headers that must not be repeated: the gateway and the API server could each use a different one. */
const onlyOnce = new Set(['host', 'authorization', 'impersonate-user', 'impersonate-uid', 'upgrade']);

/**
 * Throws for a request that the API server could read differently from the gateway. Node's parser has already refused
 * what is not valid HTTP: two lengths, a length with chunked encoding, folded lines.
 */
export function checkRequest({ method, url, headers, rawHeaders }: RequestHead): void {
  if (!methods.has(method))
    throw new StatusError(
      405,
      'MethodNotAllowed',
      `the method ${method} is not supported by the Kubernetes API`,
      undefined,
      {
        allow: [...methods].join(', '),
      },
    );
  if (!url.startsWith('/')) throw badRequest('the request target must be a path that starts with /');
  if (url.includes('#')) throw badRequest('the request target must not contain a fragment (#)');
  if (rawHeaders.length / 2 > maxHeaders)
    throw new StatusError(
      431,
      'RequestHeaderFieldsTooLarge',
      `the request has ${rawHeaders.length / 2} headers: must not have more than ${maxHeaders}`,
    );
  const encoding = headers['transfer-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked')
    throw badRequest(`the transfer encoding ${quoted(encoding)} is not supported; use chunked`);
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? '';
    if (onlyOnce.has(name) && seen.has(name)) throw badRequest(`the header ${name} must not be repeated`);
    seen.add(name);
  }
  checkConnection(rawHeaders);
  if (method === 'OPTIONS' && headers['access-control-request-method'] !== undefined)
    throw new StatusError(403, 'Forbidden', 'cross-origin requests are not allowed');
}
