import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { type Action, type Attempt, type Outcome, refused, succeeded, unreachable } from './outcome.ts';

export interface HttpActionOptions {
  url: URL;
  method: string;
  /** File with the certificate authorities of the server. Read for each request, because it may be replaced. */
  caFile?: string;
}

/** The part of a response that is kept for the log. */
const maxOutputBytes = 2_048;

/** Sends a request; every 2xx response is a success. Redirects are not followed. */
export function httpAction(options: HttpActionOptions): Action {
  const { url, method } = options;
  const name = `${method} ${url.origin}${url.pathname}`;
  return {
    name,
    async run({ signal }: Attempt): Promise<Outcome> {
      try {
        const { status, body } = await send(options, signal);
        if (status >= 200 && status < 300) return succeeded;
        return refused(`${name}: the response has status ${status}`, body);
      } catch (error) {
        const reason = signal.aborted ? 'no response in time' : reasonOf(error);
        return unreachable(`${name}: ${reason}`, { isUntouched: reason === 'ECONNREFUSED' });
      }
    },
  };
}

function send(
  { url, method, caFile }: HttpActionOptions,
  signal: AbortSignal,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const options = { method, agent: false as const, headers: { 'content-length': 0, connection: 'close' } };
    const request =
      url.protocol === 'https:'
        ? https.request(url, { ...options, ...(caFile !== undefined && { ca: readAuthorities(caFile) }) })
        : http.request(url, options);
    const onAbort = () => request.destroy(new Error('aborted'));
    signal.addEventListener('abort', onAbort, { once: true });
    request.on('close', () => signal.removeEventListener('abort', onAbort));
    request.on('error', reject);
    request.on('response', (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        if (body.length < maxOutputBytes) body = (body + text).slice(0, maxOutputBytes);
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: body.trim() }));
      response.on('error', reject);
    });
    request.end();
  });
}

function readAuthorities(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new Error(`cannot read ${file}: ${reasonOf(error)}`);
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message ?? 'the request failed';
}
