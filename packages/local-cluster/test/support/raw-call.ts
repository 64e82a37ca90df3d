import { request } from 'node:https';
import type { ApiServer } from '../../src/apiserver/server.ts';

export interface Answer {
  code: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** Sends a request exactly as given, without the corrections of a client library. */
export function rawCall(
  { url, authority, adminToken }: ApiServer,
  call: { method: string; path: string; body?: string; contentType?: string },
): Promise<Answer> {
  const { method, path, body, contentType } = call;
  const headers = {
    authorization: `Bearer ${adminToken}`,
    ...(contentType !== undefined && { 'content-type': contentType }),
    ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(`${url}${path}`, { method, headers, ca: authority }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () =>
        resolve({
          code: incoming.statusCode ?? 0,
          headers: incoming.headers,
          body: Buffer.concat(chunks).toString('utf8'),
        }),
      );
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
