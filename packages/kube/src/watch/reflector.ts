import type { Projection } from '../client.ts';
import { type Clock, sleep, systemClock } from '../clock.ts';
import type { Logger } from '../log/log.ts';
import type { Registry } from '../metrics/metrics.ts';
import { listAll } from '../paging.ts';
import type { KubeObject } from '../wire.ts';
import { attemptThatThrew } from './failure.ts';
import { LivenessStamp, type WatchHealth } from './health.ts';
import type { IndexFunctions } from './indexes.ts';
import { linkedAbort } from './linked-abort.ts';
import { type Attempt, type Move, nextMove, type RelistCause } from './next-move.ts';
import { Pacing } from './pacing.ts';
import { keyOf } from './read-event.ts';
import { RelistTriggers } from './relist-triggers.ts';
import { compareVersions, isComparable } from './resource-version.ts';
import { type Cache, Store } from './store.ts';
import { StreamAttempt, type StreamStart } from './stream-attempt.ts';
import { Subscribers } from './subscribers.ts';
import type { ChangeHandler } from './subscription.ts';
import { SyncPass } from './sync-pass.ts';
import { type WatchMetrics, watchMetrics } from './watch-metrics.ts';
import {
  defaultTimings,
  selectionOf,
  type WatchedCollection,
  type WatchTimings,
} from './watched-collection.ts';

export interface ReflectorOptions<T, Index extends string> extends WatchedCollection<T> {
  /** Name of the watch in logs and metrics; unique within the program. */
  name: string;
  indexes: IndexFunctions<T, Index>;
  /** Whether two states of an object differ in nothing that matters; then handlers are not called. */
  isSame?: (before: T, after: T) => boolean;
  log: Logger;
  metrics?: Registry;
  clock?: Clock;
  random?: () => number;
  timings?: Partial<WatchTimings>;
}

interface Result {
  attempt: Attempt;
  during: 'sync' | 'follow';
  /** ResourceVersion up to which the cache is complete; undefined while the cache is incomplete. */
  mark?: string;
  error?: unknown;
}

/** Watches may retry often in a long outage. */
const repeatWarningMs = 30_000;

/**
 * Keeps the cache of one collection equal to the server. It tolerates lost connections and servers that repeat,
 * reorder or lose events. Handlers receive keys and hints; a notification is never newer than the cache.
 *
 * The reflector runs one loop: it reads the whole collection (a sync), then follows the watch stream. When an attempt
 * ends, `nextMove` decides whether to resume the stream or to relist. The cache stays readable during a relist.
 */
export class Reflector<T, Index extends string = never> {
  readonly name: string;
  readonly #options: ReflectorOptions<T, Index>;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #timings: WatchTimings;
  readonly #log: Logger;
  readonly #store: Store<T, Index>;
  readonly #subscribers: Subscribers<T>;
  readonly #stamp: LivenessStamp;
  readonly #pacing: Pacing;
  readonly #triggers: RelistTriggers;
  readonly #metrics: WatchMetrics | undefined;
  readonly #firstSync = Promise.withResolvers<void>();
  #following: StreamAttempt<T> | undefined;
  /** Set while the collection is synced, with all its attempts. */
  #pass: SyncPass<T> | undefined;
  /** The version up to which the cache was complete when the last stream or sync ended. */
  #mark: string | undefined;
  #initialEvents: 'try' | 'not-now' | 'refused' = 'try';
  #syncs = 0;
  #warned: { code: string; at: number } | undefined;

  constructor(options: ReflectorOptions<T, Index>) {
    this.name = options.name;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#timings = { ...defaultTimings, ...options.timings };
    this.#log = options.log.child({ watch: options.name });
    this.#subscribers = new Subscribers((err, key) => this.#log.error({ err, key }, 'watch handler failed'));
    this.#store = new Store(options.indexes, (change) => this.#subscribers.publish(change), options.isSame);
    this.#stamp = new LivenessStamp(this.#clock);
    this.#pacing = new Pacing(this.#timings.backoff, this.#random);
    this.#triggers = new RelistTriggers(this.#clock);
    const read = () => ({ health: this.health(), objects: this.#store.size });
    this.#metrics = options.metrics && watchMetrics(options.metrics, options.name, read);
    // Callers need not wait for the sync. Without this handler, a stop before the sync is an unhandled rejection.
    this.#firstSync.promise.catch(() => {});
  }

  get cache(): Cache<T, Index> {
    return this.#store;
  }

  /**
   * How often the whole collection was read. Between two reads, handlers are called for every object, however short it
   * existed. An object that existed only while the watch was interrupted before a read is never seen.
   */
  get syncs(): number {
    return this.#syncs;
  }

  health(): WatchHealth {
    return this.#stamp.read();
  }

  /** Calls `handler` for every object in the cache and for each later change. Returns a function that unsubscribes. */
  subscribe(handler: ChangeHandler<T>): () => void {
    return this.#subscribers.add(handler, this.#store);
  }

  /** Resolves when the cache is complete for the first time; rejects when `signal` aborts or the reflector stops. */
  async waitForSync(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const aborted = Promise.withResolvers<never>();
    const onAbort = () => aborted.reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await Promise.race([this.#firstSync.promise, aborted.promise]);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /**
   * Adds an object that the server returned to the cache, before the watch delivers it. An object at or below the
   * version up to which the cache is complete is ignored: it may have been deleted since. That version stays known
   * while the watch is reopened; during a sync, the sync decides what is newer.
   */
  note(object: KubeObject, projection: Projection = 'full'): void {
    const { resourceVersion: version = '' } = object.metadata;
    // Metadata alone would replace a whole object by one without its spec.
    if (!isComparable(version) || (projection === 'metadata' && this.#options.projection === 'full')) return;
    const mark = this.#following?.mark ?? this.#mark;
    if (mark === undefined || !isComparable(mark) || compareVersions(version, mark) <= 0) return;
    const key = keyOf(object);
    const cached = this.#store.versionOf(key);
    if (cached !== undefined && compareVersions(cached, version) >= 0) return;
    if (this.#pass?.takeNoted(key, version) === false) return;
    this.#store.put(key, version, this.#options.transform(object));
  }

  /** Relists the collection; resolves when a sync that began after this call is complete. */
  refresh(): Promise<void> {
    return this.#triggers.ask();
  }

  /** Runs until `signal` aborts, then leaves no socket or timer open. Call it only once. */
  async run(signal: AbortSignal): Promise<void> {
    let mark: string | undefined;
    let cause: RelistCause = 'start';
    while (!signal.aborted) {
      const { wanted } = this.#triggers;
      if (mark !== undefined && wanted) [mark, cause] = [undefined, wanted];
      const result: Result =
        mark === undefined ? await this.#sync(cause, signal) : await this.#stream({ mark }, signal);
      if (signal.aborted) break;
      const move = nextMove(result.during, result.attempt);
      mark = move.next === 'relist' ? undefined : result.mark;
      cause = move.cause ?? cause;
      await this.#pause(move, result, signal);
    }
    this.#triggers.stop(signal.reason);
    this.#subscribers.close();
    this.#firstSync.reject(signal.reason);
  }

  async #sync(cause: RelistCause, signal: AbortSignal): Promise<Result> {
    this.#metrics?.relist(cause);
    this.#log.debug({ cause }, 'collection sync started');
    this.#triggers.syncStarts();
    this.#pass ??= new SyncPass<T>(this.#store, this.#options.transform);
    const pass = this.#pass;
    pass.restart();
    if (this.#initialEvents !== 'try') {
      if (this.#initialEvents === 'not-now') this.#initialEvents = 'try';
      return this.#list(pass, signal);
    }
    const result = await this.#stream({ pass }, signal);
    // Every server supports lists. After a failed sync with initial events, the next sync uses a list and the one
    // after that tries initial events again, unless the server rejected them.
    if (result.attempt.ended === 'watch-list-refused') this.#initialEvents = 'refused';
    else if (result.during === 'sync') this.#initialEvents = 'not-now';
    return result;
  }

  async #list(pass: SyncPass<T>, signal: AbortSignal): Promise<Result> {
    const { client, resource } = this.#options;
    const options = { ...selectionOf(this.#options), limit: this.#timings.pageSize, signal };
    try {
      let mark = '';
      for await (const page of listAll(client, resource, options)) {
        this.#stamp.active();
        if (page.type === 'restart') pass.restart();
        else {
          for (const object of page.items) pass.takeListed(object);
          mark = page.resourceVersion;
        }
      }
      pass.finish(mark);
      this.#mark = mark;
      this.#onSynced();
      return { attempt: { ended: 'synced' }, during: 'sync', mark };
    } catch (error) {
      return { attempt: attemptThatThrew(error, undefined, false), during: 'sync', error };
    }
  }

  async #stream(start: StreamStart<T>, signal: AbortSignal): Promise<Result> {
    const { controller, unlink } = linkedAbort(signal);
    const stream = new StreamAttempt<T>(
      {
        collection: this.#options,
        store: this.#store,
        clock: this.#clock,
        stamp: this.#stamp,
        timings: this.#timings,
        random: this.#random,
        onSynced: () => {
          this.#onSynced();
          this.#triggers.mayInterrupt(controller);
        },
        onSteady: () => this.#recovered(),
        onEvent: (incoming) => this.#metrics?.event(incoming),
      },
      start,
      controller,
    );
    if ('mark' in start) this.#triggers.mayInterrupt(controller);
    this.#following = stream;
    const { attempt, error } = await stream.run();
    const { during, mark } = stream;
    this.#following = undefined;
    this.#mark = mark ?? this.#mark;
    this.#triggers.release();
    unlink();
    return { attempt, during, ...(mark !== undefined && { mark }), error };
  }

  async #pause(move: Move, result: Result, signal: AbortSignal): Promise<void> {
    const { attempt, error } = result;
    const asked = attempt.ended === 'failed' ? attempt.retryAfterSeconds : undefined;
    const waitMs = this.#pacing.waitMs(move, this.#clock.monotonic(), asked);
    if (move.code !== undefined) {
      this.#stamp.failed(move.code);
      this.#metrics?.failure(move.code);
      const { code, next } = move;
      const level = this.#isRepeatedWarning(code) ? 'debug' : 'warn';
      this.#log[level](
        { code, next, waitMs, ...(error !== undefined && { err: error }) },
        'watch failed; retrying',
      );
    }
    if (waitMs === 0) return;
    const { controller, unlink } = linkedAbort(signal);
    this.#triggers.mayInterrupt(controller);
    // A relist trigger ends the wait, so the next attempt starts immediately.
    await sleep(this.#clock, waitMs, controller.signal).catch(() => {});
    this.#triggers.release();
    unlink();
  }

  /** Whether a warning about such a failure is recent, and the watch has not recovered since. */
  #isRepeatedWarning(code: string): boolean {
    const now = this.#clock.monotonic();
    const last = this.#warned;
    if (last?.code === code && now - last.at < repeatWarningMs) return true;
    this.#warned = { code, at: now };
    return false;
  }

  #onSynced(): void {
    this.#pass = undefined;
    this.#syncs += 1;
    this.#stamp.markSynced();
    this.#log.debug({ objects: this.#store.size }, 'collection synced');
    this.#firstSync.resolve();
    this.#triggers.syncEnds(this.#timings.relistEverySeconds * 1000 * (0.75 + this.#random() / 2));
  }

  #recovered(): void {
    this.#pacing.recovered();
    this.#stamp.recovered();
    this.#warned = undefined;
  }
}
