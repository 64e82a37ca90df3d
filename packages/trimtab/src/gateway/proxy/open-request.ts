import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { NetworkError } from '@trimtab/kube/transport/errors.ts';
import type { Destination } from '../upstream/upstream.ts';
import { type BodyShape, requestHeaders } from './request-headers.ts';

/** Opens a request to the API server with its headers; the body is not sent yet. */
export function openRequest(
  { pool, identity, trace }: Destination,
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
      ...trace,
      identity,
      body,
      ...(upgrade !== undefined && { upgrade }),
    }),
  });
}

/** The framing of a request's body, which the proxied request keeps. */
export function bodyShape({ headers, method = '' }: IncomingMessage): BodyShape {
  if (headers['transfer-encoding'] !== undefined) return 'chunked';
  if (headers['content-length'] !== undefined) return { length: Number(headers['content-length']) };
  // The length is explicit because Node would send an empty chunked body for these methods.
  return ['POST', 'PUT', 'PATCH'].includes(method) ? { length: 0 } : 'none';
}

/** Converts the error of a request. `sent` is 'no' only while the request has no connection. */
export function networkError(request: ClientRequest, error: unknown): NetworkError {
  if (error instanceof NetworkError) return error;
  const code =
    error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'ERR_UNKNOWN';
  const message = error instanceof Error ? error.message : 'the connection failed';
  return new NetworkError(code, request.socket === null ? 'no' : 'maybe', message);
}
