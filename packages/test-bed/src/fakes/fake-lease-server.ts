import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Clock } from '@trimtab/kube/clock.ts';
import type { Lease } from '@trimtab/kube/lease/record.ts';
import { leases } from '@trimtab/kube/resource.ts';
import { ApiError, NetworkError } from '@trimtab/kube/transport/errors.ts';

/** The network faults of one request. By default it is answered immediately. */
export interface Barrier {
  /** Latency of the request; `never`: it is lost before it reaches the server. */
  toServerMs?: number | 'never';
  /** Latency of the response; `never`: the write takes effect, but the response is lost. */
  backMs?: number | 'never';
  /** The server returns this status and does not process the request. */
  refusedWith?: number;
}

export type Verb = 'get' | 'create' | 'update' | 'watch';

/** An API server with one Lease: optimistic locking as in the real server, behind a network that can fail. */
export class FakeLeaseServer {
  readonly #clock: Clock;
  readonly #watchers = new Set<(event: unknown) => void>();
  #resourceVersion = 0;
  lease: Lease | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `passage` is called once per request. */
  client(passage: (verb: Verb) => Barrier = () => ({})): KubeClient {
    const send = <T>(verb: Verb, timeoutMs: number | undefined, handle: () => T) =>
      this.#send(passage(verb), timeoutMs ?? 30_000, handle);
    const unexpected = () => Promise.reject(new Error('an election does not send this request'));
    return {
      get: (_resource, _where, options) =>
        send('get', options?.timeoutMs, () => {
          if (this.lease === undefined) throw status(404);
          return structuredClone(this.lease);
        }) as Promise<never>,
      create: (_resource, object, options) =>
        send('create', options?.timeoutMs, () => {
          if (this.lease !== undefined) throw status(409, 'AlreadyExists');
          return this.put(object);
        }) as Promise<never>,
      update: (_resource, object, options) =>
        send('update', options?.timeoutMs, () => {
          if (this.lease === undefined) throw status(404);
          if (object.metadata.resourceVersion !== this.lease.metadata.resourceVersion)
            throw status(409, 'Conflict');
          return this.put(object);
        }) as Promise<never>,
      watch: async (_resource, { signal }) => {
        const { refusedWith, toServerMs } = passage('watch');
        if (refusedWith !== undefined) throw status(refusedWith);
        if (toServerMs === 'never') throw new NetworkError('ECONNREFUSED', 'no', 'the network is down');
        return { events: this.#events(signal), close() {} };
      },
      list: unexpected,
      patch: unexpected,
      delete: unexpected,
      raw: unexpected,
    };
  }

  /** Writes the Lease as another client would. */
  put(lease: Lease): Lease {
    this.#resourceVersion++;
    const metadata = { ...lease.metadata, resourceVersion: String(this.#resourceVersion) };
    this.lease = structuredClone({ ...lease, metadata });
    this.#tell('MODIFIED', this.lease);
    return structuredClone(this.lease);
  }

  delete(): void {
    if (this.lease) this.#tell('DELETED', this.lease);
    this.lease = undefined;
  }

  #send<T>(passage: Barrier, timeoutMs: number, handle: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#clock.after(timeoutMs, () => reject(new NetworkError('ETIMEDOUT', 'maybe', 'no response')));
      const answer = () => {
        const settle = this.#settlement(passage, handle, resolve, reject);
        if (passage.backMs !== 'never') this.#later(passage.backMs ?? 0, settle);
      };
      if (passage.toServerMs !== 'never') this.#later(passage.toServerMs ?? 0, answer);
    });
  }

  #settlement<T>(
    passage: Barrier,
    handle: () => T,
    resolve: (value: T) => void,
    reject: (error: unknown) => void,
  ): () => void {
    if (passage.refusedWith !== undefined) return () => reject(status(passage.refusedWith ?? 500));
    try {
      const result = handle();
      return () => resolve(result);
    } catch (error) {
      return () => reject(error);
    }
  }

  #later(ms: number, callback: () => void): void {
    if (ms === 0) callback();
    else this.#clock.after(ms, callback);
  }

  #tell(type: string, object: Lease): void {
    for (const watcher of [...this.#watchers]) watcher({ type, object: structuredClone(object) });
  }

  async *#events(signal: AbortSignal): AsyncGenerator<unknown> {
    const queue: unknown[] = [];
    let wake = () => {};
    const watcher = (event: unknown) => {
      queue.push(event);
      wake();
    };
    this.#watchers.add(watcher);
    signal.addEventListener('abort', () => wake(), { once: true });
    try {
      while (!signal.aborted) {
        if (queue.length > 0) yield queue.shift();
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      this.#watchers.delete(watcher);
    }
  }
}

function status(code: number, reason?: string): ApiError {
  const body = { apiVersion: 'v1', kind: 'Status', code, ...(reason ? { reason } : {}) } as const;
  return new ApiError(code, body, { request: `a request about ${leases.plural}` });
}
