import type { IncomingMessage } from 'node:http';
import { badRequest, RequestError } from './request-error.ts';

const maxBytes = 16_384;

/** Reads the body of a request. Throws a RequestError when it is too large or breaks off. */
export function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      // Received data beyond the limit is discarded until the connection closes.
      if (size <= maxBytes) return void chunks.push(chunk);
      chunks.length = 0;
      reject(new RequestError(413, `The body of the request is larger than ${maxBytes / 1024} KiB`));
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('error', () => reject(badRequest('The body of the request is incomplete')));
    request.once('close', () => reject(badRequest('The body of the request is incomplete')));
  });
}
