import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { OperationalError } from '../errors.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { NetworkError } from './errors.ts';

export interface OutgoingRequest {
  method: string;
  /** Includes the query. */
  path: string;
  headers: Record<string, string | string[]>;
  body?: Buffer;
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Fits a page of 500 objects of half a megabyte, and bounds the response of a faulty server. */
const maxBodyBytes = 256 * 1024 * 1024;

/** One request and its response on one connection. Reports every connection failure as a NetworkError. */
export class Exchange {
  /** Resolves when the response headers have arrived; reading the body may still fail. */
  readonly response: Promise<IncomingMessage>;
  readonly #request: http.ClientRequest;
  readonly #rejectResponse: (reason: unknown) => void;
  readonly #what: string;
  #hasConnection = false;
  #abortedWith: { reason: unknown } | undefined;

  constructor(pool: ConnectionPool, outgoing: OutgoingRequest) {
    const path = pool.pathPrefix + outgoing.path;
    this.#what = `${outgoing.method} ${origin(pool)}${path.split('?')[0]}`;
    const request = (pool.secure ? https : http).request({
      agent: pool.agent,
      hostname: pool.hostname,
      port: pool.port,
      method: outgoing.method,
      path,
      headers: outgoing.headers,
    });
    this.#request = request;
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    this.response = promise;
    this.#rejectResponse = reject;
    request.once('socket', () => {
      this.#hasConnection = true;
    });
    request.once('response', (response) => {
      // `readBody` reports errors of the body. Without this listener, an error before that would end the process.
      response.on('error', () => {});
      resolve(response);
    });
    request.on('error', (error) => reject(this.explain(error)));
    request.end(outgoing.body);
  }

  /** Ends the exchange; pending promises reject with `reason`. */
  abort(reason: unknown): void {
    this.#abortedWith ??= { reason };
    // A destroyed request that still waits for a connection emits its error only after it has got one.
    this.#rejectResponse(reason);
    this.#request.destroy();
  }

  /** Closes the connection without an error, when the rest of the response is not needed. */
  drop(): void {
    this.#request.destroy();
  }

  /**
   * Returns the abort reason, an error that is already explained, or a NetworkError with the request in its message.
   */
  explain(error: unknown): unknown {
    if (this.#abortedWith !== undefined) return this.#abortedWith.reason;
    if (error instanceof OperationalError || error instanceof NetworkError) return error;
    const { code, message } = describe(error);
    return this.failure(code, message);
  }

  failure(code: string, message: string): NetworkError {
    return new NetworkError(code, this.#hasConnection ? 'maybe' : 'no', `${this.#what}: ${message}`);
  }

  readBody(response: IncomingMessage, maxBytes = maxBodyBytes): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size <= maxBytes) return;
        this.abort(this.failure('ERR_BODY_TOO_LARGE', `the response is larger than ${maxBytes} bytes`));
      });
      response.once('end', () =>
        resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)),
      );
      response.once('error', (error) => reject(this.explain(error)));
      response.once('close', () => {
        // Every response emits `close`; an error is created only for an incomplete response.
        if (response.complete) return;
        reject(
          this.explain(this.failure('ECONNRESET', 'the connection closed in the middle of the response')),
        );
      });
    });
  }
}

function origin(pool: ConnectionPool): string {
  const host = pool.hostname.includes(':') ? `[${pool.hostname}]` : pool.hostname;
  return `${pool.secure ? 'https' : 'http'}://${host}:${pool.port}`;
}

/** Keeps only code and message, because some errors of the HTTP parser contain bytes of the response. */
function describe(error: unknown): { code: string; message: string } {
  if (!(error instanceof Error)) return { code: 'ERR_UNKNOWN', message: 'the connection failed' };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : 'ERR_UNKNOWN';
  if (error.message === 'aborted')
    return { code, message: 'the connection closed in the middle of the response' };
  return { code, message: error.message.trim() || 'the connection failed' };
}
