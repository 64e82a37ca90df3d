import type { IncomingHttpHeaders } from 'node:http';
import { badRequest, StatusError } from '../answer/status-error.ts';
import type { RawHeaders } from './hop-by-hop.ts';

export interface RequestHead {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  rawHeaders: RawHeaders;
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** Said twice, we and the API server could each believe another one. */
const onlyOnce = new Set(['host', 'authorization', 'impersonate-user', 'impersonate-uid', 'upgrade']);

/**
 * Throws for a request that the API server could read in another way than we do. What is not HTTP at all (two
 * lengths, a length beside chunks, folded lines) Node's parser has refused before.
 */
export function checkRequest({ method, url, headers, rawHeaders }: RequestHead): void {
  if (!methods.has(method))
    throw new StatusError(
      405,
      'MethodNotAllowed',
      `the method ${method} is not one of Kubernetes`,
      undefined,
      {
        allow: [...methods].join(', '),
      },
    );
  if (!url.startsWith('/')) throw badRequest('the request must name a path of this server, from / on');
  if (url.includes('#')) throw badRequest('the path has a fragment (#): clients keep that to themselves');
  const encoding = headers['transfer-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked')
    throw badRequest(`the transfer encoding ${JSON.stringify(encoding)} is not served; chunked is`);
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? '';
    if (onlyOnce.has(name) && seen.has(name)) throw badRequest(`the header ${name} is there twice`);
    seen.add(name);
  }
  if (method === 'OPTIONS' && headers['access-control-request-method'] !== undefined)
    throw new StatusError(403, 'Forbidden', 'pages of other origins may not use this server');
}
