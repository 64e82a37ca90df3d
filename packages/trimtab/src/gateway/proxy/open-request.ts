import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { NetworkError } from '@trimtab/kube/transport/errors.ts';
import type { Destination } from '../upstream/upstream.ts';
import { type BodyShape, requestHeaders } from './request-headers.ts';

/** A request to the API server with its headers set, and nothing of its body sent yet. */
export function openRequest(
  { pool, identity }: Destination,
  incoming: IncomingMessage,
  body: BodyShape,
  upgrade?: string,
): ClientRequest {
  const host = `${pool.hostname.includes(':') ? `[${pool.hostname}]` : pool.hostname}:${pool.port}`;
  return (pool.secure ? https : http).request({
    agent: pool.agent,
    hostname: pool.hostname,
    port: pool.port,
    method: incoming.method,
    path: pool.pathPrefix + incoming.url,
    headers: requestHeaders({
      raw: incoming.rawHeaders,
      host,
      address: incoming.socket.remoteAddress ?? 'unknown',
      identity,
      body,
      ...(upgrade !== undefined && { upgrade }),
    }),
  });
}

/** How the body of a request comes, and so how it goes on. */
export function bodyShape({ headers, method = '' }: IncomingMessage): BodyShape {
  if (headers['transfer-encoding'] !== undefined) return 'chunked';
  if (headers['content-length'] !== undefined) return { length: Number(headers['content-length']) };
  // Said, because for these methods Node would send an empty body in chunks.
  return ['POST', 'PUT', 'PATCH'].includes(method) ? { length: 0 } : 'none';
}

/** What a failed request is: `sent` is 'no' only as long as it has no connection. */
export function networkError(request: ClientRequest, error: unknown): NetworkError {
  if (error instanceof NetworkError) return error;
  const code =
    error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'ERR_UNKNOWN';
  const message = error instanceof Error ? error.message : 'the connection failed';
  return new NetworkError(code, request.socket === null ? 'no' : 'maybe', message);
}
