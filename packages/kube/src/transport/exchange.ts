import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { OperationalError } from '../errors.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { NetworkError } from './errors.ts';

export interface OutgoingRequest {
  method: string;
  /** With its query. */
  path: string;
  headers: Record<string, string | string[]>;
  body?: Buffer;
}

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** A page of 500 objects of half a megabyte fits; a server that never stops does not. */
const maxBodyBytes = 256 * 1024 * 1024;

/** One request and its answer on one connection, from which every failure comes out as a NetworkError. */
export class Exchange {
  /** Settles when the head of the answer is there; the body may still fail. */
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
      // Whoever reads the body hears of an error there; until then it must not end the process.
      response.on('error', () => {});
      resolve(response);
    });
    request.on('error', (error) => reject(this.explain(error)));
    request.end(outgoing.body);
  }

  /** Ends the exchange now; whoever waits for it gets `reason`. */
  abort(reason: unknown): void {
    this.#abortedWith ??= { reason };
    // A request that still waits for a connection reports its end only when it has got one.
    this.#rejectResponse(reason);
    this.#request.destroy();
  }

  /** Frees the connection without an error, when nobody wants the rest of the answer. */
  drop(): void {
    this.#request.destroy();
  }

  /** The error of a caller who gave up, ours, or what became of the connection, with what was asked. */
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
        this.abort(this.failure('ERR_BODY_TOO_LARGE', `the answer is larger than ${maxBytes} bytes`));
      });
      response.once('end', () =>
        resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)),
      );
      response.once('error', (error) => reject(this.explain(error)));
      response.once('close', () => {
        // Every answer closes; an error with its stack is made only for one that did so too early.
        if (response.complete) return;
        reject(this.explain(this.failure('ECONNRESET', 'the connection closed in the middle of the answer')));
      });
    });
  }
}

function origin(pool: ConnectionPool): string {
  const host = pool.hostname.includes(':') ? `[${pool.hostname}]` : pool.hostname;
  return `${pool.secure ? 'https' : 'http'}://${host}:${pool.port}`;
}

/** Only code and message: some errors of the HTTP parser carry the bytes that the server sent. */
function describe(error: unknown): { code: string; message: string } {
  if (!(error instanceof Error)) return { code: 'ERR_UNKNOWN', message: 'the connection failed' };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : 'ERR_UNKNOWN';
  if (error.message === 'aborted')
    return { code, message: 'the connection closed in the middle of the answer' };
  return { code, message: error.message.trim() || 'the connection failed' };
}
