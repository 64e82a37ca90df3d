import { Agent, type RequestOptions, request } from 'node:https';
import type { ClusterAccess } from '@trimtab/kube/access.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { openWatch, type Watch, WatchRefused } from './watch.ts';

export interface ObjectBody {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace: string;
    uid: string;
    resourceVersion: string;
    creationTimestamp: string;
    generation?: number;
    deletionTimestamp?: string;
    deletionGracePeriodSeconds?: number;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    finalizers?: string[];
    ownerReferences?: object[];
    continue?: string;
    remainingItemCount?: number;
  };
  items: ObjectBody[];
  [field: string]: unknown;
}

/** The unmodified response of the server. */
export interface Answer {
  code: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** The parsed text; a string when it is not JSON. */
  body: ObjectBody;
}

export interface Call {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';
  path: string;
  query?: Query;
  headers?: Record<string, string>;
  /** A string or bytes are sent unchanged, any other value as JSON. */
  body?: unknown;
}

export type Query = Record<string, string | string[]>;
export type More = Pick<Call, 'query' | 'headers'>;

const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

/**
 * A plain HTTP client: it exposes the whole response and does not throw on any status code. It retries only while a
 * server fills its cache, which happens after every change of a definition and is not caused by the client.
 */
export class Api {
  readonly #access: ClusterAccess;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(access: ClusterAccess) {
    this.#access = access;
  }

  get(path: string, more: More = {}): Promise<Answer> {
    return this.call({ path, ...more });
  }

  post(path: string, body: unknown, more: More = {}): Promise<Answer> {
    return this.call({ method: 'POST', path, body, ...more });
  }

  put(path: string, body: unknown, more: More = {}): Promise<Answer> {
    return this.call({ method: 'PUT', path, body, ...more });
  }

  patch(path: string, type: keyof typeof patchTypes, body: unknown, more: More = {}): Promise<Answer> {
    const headers = { 'content-type': patchTypes[type], ...more.headers };
    return this.call({ method: 'PATCH', path, body, ...more, headers });
  }

  delete(path: string, body?: unknown, more: More = {}): Promise<Answer> {
    return this.call({ method: 'DELETE', path, body, ...more });
  }

  /** Opens a watch. The caller must close it: `await using`. */
  async watch(path: string, query: Query = {}, headers: Record<string, string> = {}): Promise<Watch> {
    const call = { path, query: { watch: 'true', timeoutSeconds: '60', ...query }, headers };
    return onceFilled(async () => {
      try {
        return { met: await openWatch(await this.options(call)) };
      } catch (error) {
        if (error instanceof WatchRefused && isFilling(error)) return { seen: error.text };
        throw error;
      }
    });
  }

  call(call: Call): Promise<Answer> {
    return onceFilled(async () => {
      const answer = await this.#ask(call);
      return isFilling(answer) ? { seen: answer.text } : { met: answer };
    });
  }

  async #ask(call: Call): Promise<Answer> {
    const options = await this.options(call);
    const payload = encoded(call.body);
    return new Promise((resolve, reject) => {
      const outgoing = request({ ...options, agent: this.#agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ code: response.statusCode ?? 0, headers: response.headers, text, body: parsed(text) });
        });
      });
      outgoing.on('error', reject);
      outgoing.end(payload);
    });
  }

  /** Options of node:https for a call, for cases that handle the connection themselves. */
  async options({ method = 'GET', path, query = {}, headers = {}, body }: Call): Promise<RequestOptions> {
    const url = new URL(this.#access.server);
    const payload = encoded(body);
    const json = payload === undefined ? {} : { 'content-type': 'application/json' };
    const length = payload === undefined ? {} : { 'content-length': String(payload.length) };
    const { ca, cert, key } = await this.#access.tls();
    return {
      host: url.hostname,
      port: url.port,
      method,
      path: path + search(query),
      headers: {
        accept: 'application/json',
        ...json,
        ...length,
        ...(await this.#access.headers()),
        ...headers,
      },
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    };
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Whether kube-apiserver has not filled its cache of a kind yet. */
function isFilling({ code, text }: Pick<Answer, 'code' | 'text'>): boolean {
  return code === 429 && text.includes('storage is (re)initializing');
}

function onceFilled<T>(ask: () => Promise<{ met: T } | { seen: string }>): Promise<T> {
  return waitFor('the server has filled its cache', ask, { everyMs: 200 });
}

function encoded(body: unknown): Buffer | undefined {
  if (body === undefined) return undefined;
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

function search(query: Query): string {
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    [value].flat().map((each): [string, string] => [key, each]),
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

function parsed(text: string): ObjectBody {
  try {
    return JSON.parse(text);
  } catch {
    return text as unknown as ObjectBody;
  }
}
