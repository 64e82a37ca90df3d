import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

export interface PostResponse {
  status: number;
  retryAfter: string | undefined;
}

interface PostRequest {
  url: URL;
  ca: string | undefined;
  headers: Record<string, string>;
  body: string;
  timeoutMs: number;
  signal: AbortSignal;
}

/**
 * Sends a POST request. The body of the response is not read, and redirects are not followed. Rejects with an Error whose
 * `code` says why; its message is not for logs, because it may contain the host.
 */
export function post({ url, ca, headers, body, timeoutMs, signal }: PostRequest): Promise<PostResponse> {
  const options = {
    method: 'POST',
    headers: { ...headers, 'content-length': String(Buffer.byteLength(body)), 'user-agent': 'trimtab' },
    // A new connection for each delivery: receivers close idle ones, and deliveries are rare.
    agent: false as const,
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  };
  return new Promise((resolve, reject) => {
    const onResponse = (response: IncomingMessage) => {
      resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] });
      response.destroy();
    };
    const sent: ClientRequest =
      url.protocol === 'https:'
        ? requestHttps(url, { ...options, ...(ca !== undefined && { ca }) }, onResponse)
        : requestHttp(url, options, onResponse);
    // Also called when the response is destroyed, after which it has no effect.
    sent.on('error', reject);
    sent.end(body);
  });
}
