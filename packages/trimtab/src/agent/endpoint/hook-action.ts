import http from 'node:http';
import https from 'node:https';
import { StringDecoder } from 'node:string_decoder';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { type Action, type Outcome, refused, succeeded, unreachable } from '../reload/outcome.ts';

/** A config whose version has changed. */
export interface ChangedConfig {
  kind: string;
  name: string;
  version: string;
  /** The version before; absent when the config is new. */
  previous?: string;
}

export interface HookActionOptions {
  url: URL;
  /** Sent as the bearer token. Only for a hook of this pod: the token must not leave the pod. */
  token?: string;
  /** Returns the authorities for an https URL; the default are those of the system. */
  trust?: () => SecureContext;
  /** Called for each request. */
  changed: () => readonly ChangedConfig[];
}

/** The part of a response that is kept for the log. */
const maxOutputBytes = 1_024;

/** Sends the changed configs; every 2xx response is a success. Redirects are not followed. */
export function hookAction(options: HookActionOptions): Action {
  const { url } = options;
  const name = `hook ${url.origin}${url.pathname}`;
  return {
    name,
    async run({ signal }): Promise<Outcome> {
      try {
        const { status, output } = await send(options, signal);
        if (status >= 200 && status < 300) return succeeded;
        return refused(`${name} refused: ${status}`, output);
      } catch (error) {
        const reason = signal.aborted ? 'no response in time' : reasonOf(error);
        return unreachable(`${name}: ${reason}`, { isUntouched: reason === 'ECONNREFUSED' });
      }
    },
  };
}

/** Trusts the authorities of a PEM, and on demand those of the system. */
export function hookTrust(ca: string, { withSystem = false } = {}): () => SecureContext {
  let context: SecureContext | undefined;
  // Created once: parsing the authorities of the system takes longer than the request.
  return () => {
    context ??= createSecureContext({ ca: withSystem ? [...getCACertificates('default'), ca] : ca });
    return context;
  };
}

function send(
  { url, token, trust, changed }: HookActionOptions,
  signal: AbortSignal,
): Promise<{ status: number; output: string }> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const body = Buffer.from(JSON.stringify({ configs: changed().map(sent) }));
    const options = {
      method: 'POST',
      agent: false as const,
      headers: {
        'content-type': 'application/json',
        'content-length': body.length,
        connection: 'close',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
    };
    const request =
      url.protocol === 'https:'
        ? https.request(url, { ...options, ...(trust && { secureContext: trust() }) })
        : http.request(url, options);
    const onAbort = () => request.destroy(new Error('aborted'));
    signal.addEventListener('abort', onAbort, { once: true });
    request.on('close', () => signal.removeEventListener('abort', onAbort));
    request.on('error', reject);
    request.on('response', (response) => {
      // The status is the answer, also when the body breaks off or never ends.
      const finish = () => {
        resolve({ status: response.statusCode ?? 0, output: textOf(chunks) });
        request.destroy();
      };
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size >= maxOutputBytes) finish();
      });
      response.on('end', finish).on('error', finish).on('close', finish);
    });
    request.end(body);
  });
}

/** Exactly the documented fields, whatever the caller's objects hold. */
function sent({ kind, name, version, previous }: ChangedConfig): ChangedConfig {
  return { kind, name, version, ...(previous !== undefined && { previous }) };
}

/** A character that the limit has cut is left out. */
function textOf(chunks: readonly Buffer[]): string {
  return new StringDecoder('utf8').write(Buffer.concat(chunks).subarray(0, maxOutputBytes)).trim();
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message ?? 'the request failed';
}
