import type { KubeClient, ListOptions, WatchOptions, WatchStream } from '@trimtab/kube/client.ts';
import type { Resource } from '@trimtab/kube/resource.ts';
import { ApiError, NetworkError } from '@trimtab/kube/transport/errors.ts';
import type { KubeList, KubeObject } from '@trimtab/kube/wire.ts';

/** Faults of one line of a stream. A client cannot detect `lose`, nor `swap` followed by a cut. */
export type StreamFault =
  | 'none'
  | 'repeat'
  | 'repeat-earlier'
  | 'swap'
  | 'drop-and-cut'
  | 'drop-compact-and-cut'
  | 'cut'
  | 'end'
  | 'gone'
  | 'error'
  | 'bookmark'
  | 'nonsense'
  | 'stall'
  | 'lose';
/** Faults of one request: a page of a list, or the opening of a stream. */
export type RequestFault = 'none' | 'network' | 'gone' | 'unavailable' | 'internal';

interface Line {
  type: string;
  object: unknown;
}
interface Revision {
  version: number;
  key: string;
  deleted: boolean;
  object: KubeObject;
}

/** An in-memory collection with a history, served through the KubeClient interface, with injected faults. */
export class HistoryServer implements Pick<KubeClient, 'list' | 'watch'> {
  streamFaults: StreamFault[] = [];
  requestFaults: RequestFault[] = [];
  servesInitialEvents = true;
  /** What the server asks for when it is unavailable. */
  retryAfterSeconds = 1;
  readonly requests: string[] = [];
  openStreams = 0;
  readonly #history: Revision[] = [];
  #version = 100;
  #oldest = 100;
  #holding = false;
  #wake = Promise.withResolvers<void>();

  /** A client with the methods that a watch needs. Calling any other method is a defect of the test. */
  get client(): KubeClient {
    const refuse = () => Promise.reject(new Error('the history server supports only list and watch'));
    const rest = { get: refuse, create: refuse, update: refuse, patch: refuse, delete: refuse, raw: refuse };
    return { ...rest, list: this.list.bind(this), watch: this.watch.bind(this) } as KubeClient;
  }

  write(key: string, labels: Record<string, string> = {}): void {
    const [namespace = '', name = ''] = key.split('/');
    const version = ++this.#version;
    const uid = this.state().get(key)?.metadata.uid ?? `uid-${version}`;
    const object = { metadata: { namespace, name, uid, resourceVersion: String(version), labels } };
    this.#record({ version, key, deleted: false, object });
  }

  delete(key: string): void {
    const last = this.state().get(key);
    if (!last) return;
    const version = ++this.#version;
    const object = { metadata: { ...last.metadata, resourceVersion: String(version) } };
    this.#record({ version, key, deleted: true, object });
  }

  /** Compacts the history: a stream cannot resume from an earlier version. */
  compact(): void {
    this.#oldest = this.#version;
  }

  /** While held, the initial events do not end and changes arrive among them, as on a busy server. */
  hold(holding: boolean): void {
    this.#holding = holding;
    this.#wakeStreams();
  }

  state(at = this.#version): Map<string, KubeObject> {
    const state = new Map<string, KubeObject>();
    for (const revision of this.#history) {
      if (revision.version > at) break;
      if (revision.deleted) state.delete(revision.key);
      else state.set(revision.key, revision.object);
    }
    return state;
  }

  list<T extends KubeObject>(_: Resource, options: ListOptions = {}): Promise<KubeList<T>> {
    this.requests.push('list');
    return this.#answer(() => {
      const [at, from] = (options.continue ?? `${this.#version}:0`).split(':').map(Number);
      if (at === undefined || from === undefined || at < this.#oldest) throw apiError(410);
      const all = [...this.state(at).values()];
      const to = from + (options.limit ?? all.length);
      const items = structuredClone(all.slice(from, to)) as T[];
      const more = to < all.length && { continue: `${at}:${to}` };
      return { metadata: { resourceVersion: String(at), ...more }, items };
    });
  }

  watch(_: Resource, options: WatchOptions): Promise<WatchStream> {
    const { signal, resourceVersion, sendInitialEvents } = options;
    this.requests.push(sendInitialEvents ? 'watch-list' : 'watch');
    return this.#answer(() => {
      signal.throwIfAborted();
      if (sendInitialEvents && !this.servesInitialEvents) throw apiError(422);
      const from = Number(resourceVersion ?? this.#version);
      if (from < this.#oldest) throw apiError(410);
      this.openStreams++;
      return {
        events: this.#faulty(this.#lines(from, sendInitialEvents === true, signal), signal),
        close: () => {},
      };
    });
  }

  #record(revision: Revision): void {
    this.#history.push(revision);
    this.#wakeStreams();
  }

  #wakeStreams(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }

  async #answer<R>(answer: () => R): Promise<R> {
    switch (this.requestFaults.shift()) {
      case 'network':
        throw new NetworkError('ECONNREFUSED', 'no', 'connection refused');
      case 'gone':
        throw apiError(410);
      case 'unavailable':
        throw apiError(503, this.retryAfterSeconds);
      case 'internal':
        throw apiError(500);
      default:
        return answer();
    }
  }

  async *#lines(from: number, initial: boolean, signal: AbortSignal): AsyncGenerator<Line> {
    if (initial) {
      for (const object of this.state(from).values()) yield { type: 'ADDED', object };
    }
    let ended = !initial;
    let position = from;
    for (;;) {
      const next = this.#history.find((revision) => revision.version > position);
      if (next) {
        position = next.version;
        yield lineOf(next);
      } else if (!ended && !this.#holding) {
        ended = true;
        yield bookmark(position, true);
      } else await abortable(this.#wake.promise, signal);
    }
  }

  async *#faulty(lines: AsyncGenerator<Line>, signal: AbortSignal): AsyncGenerator<unknown> {
    const earlier: Line[] = [];
    try {
      for await (const line of lines) {
        earlier.push(line);
        const fault = this.streamFaults.shift() ?? 'none';
        if (fault === 'swap') {
          const next = await lines.next();
          if (!next.done) yield structuredClone(next.value);
        }
        if (!drops.has(fault)) yield structuredClone(line);
        switch (fault) {
          case 'repeat':
            yield structuredClone(line);
            break;
          case 'repeat-earlier':
            yield structuredClone(earlier[earlier.length >> 1]);
            break;
          case 'bookmark':
            yield bookmark(versionOf(line), false);
            break;
          case 'drop-compact-and-cut':
            this.compact();
            throw new NetworkError('ECONNRESET', 'maybe', 'cut');
          case 'drop-and-cut':
          case 'cut':
            throw new NetworkError('ECONNRESET', 'maybe', 'cut');
          case 'nonsense':
            yield { type: 'WHAT' };
            break;
          case 'gone':
          case 'error':
            yield { type: 'ERROR', object: { kind: 'Status', code: fault === 'gone' ? 410 : 500 } };
            return;
          case 'stall':
            await abortable(new Promise<void>(() => {}), signal);
            break;
          case 'end':
            return;
        }
      }
    } finally {
      this.openStreams--;
    }
  }
}

const drops = new Set<StreamFault>(['drop-and-cut', 'drop-compact-and-cut', 'lose']);

function lineOf(revision: Revision): Line {
  return { type: revision.deleted ? 'DELETED' : 'MODIFIED', object: revision.object };
}

function bookmark(version: number, end: boolean): Line {
  const metadata = {
    resourceVersion: String(version),
    ...(end && { annotations: { 'k8s.io/initial-events-end': 'true' } }),
  };
  return { type: 'BOOKMARK', object: { metadata } };
}

/** The version of a bookmark after this line. In the middle of a snapshot no version is complete yet, so it is 1. */
function versionOf(line: Line): number {
  return line.type === 'ADDED' ? 1 : Number((line.object as KubeObject).metadata.resourceVersion);
}

function apiError(code: number, retryAfterSeconds?: number): ApiError {
  return new ApiError(
    code,
    { apiVersion: 'v1', kind: 'Status', code },
    retryAfterSeconds === undefined ? {} : { retryAfterSeconds },
  );
}

function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
