import type { BackoffLimits } from '../backoff.ts';
import { type Clock, systemClock } from '../clock.ts';
import type { Logger } from '../log/log.ts';
import type { Registry } from '../metrics/metrics.ts';
import { DelayedKeys } from './delayed-keys.ts';
import { FairOrder } from './fair-order.ts';
import { type QueueMetrics, queueMetrics } from './queue-metrics.ts';
import { decideNext, type ReconcileResult, type Run } from './reconcile-result.ts';
import { RetryDelays } from './retry-delays.ts';

/**
 * Reconciles one key; see reconcile-result.ts for its result. `signal` aborts when the deadline of a drain passes.
 * `failures` is the number of consecutive failures of the key.
 */
type KeyHandler = (
  key: string,
  context: { signal: AbortSignal; failures: number },
) => Promise<ReconcileResult | undefined> | Promise<void>;

export interface WorkQueueOptions {
  name: string;
  handle: KeyHandler;
  /** Maximum number of keys that are handled at the same time. */
  concurrency: number;
  log: Logger;
  metrics?: Registry;
  clock?: Clock;
  random?: () => number;
  backoff?: BackoffLimits;
}

/** A watch that reopens delivers what was missing within seconds. */
const maxCatchUpMs = 5_000;

/**
 * A queue of keys (`namespace/name` or `name`), not of events: a key that is added twice before it is handled is
 * handled once. The same key is never handled concurrently, namespaces are served round robin, and failed keys are
 * retried; see reconcile-result.ts.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #clock: Clock;
  readonly #order = new FairOrder();
  readonly #later: DelayedKeys;
  readonly #retries: RetryDelays;
  readonly #metrics: QueueMetrics | undefined;
  /** Time at which each waiting key became ready. */
  readonly #readySince = new Map<string, number>();
  /** Keys being handled, and whether each was added since its handler started. */
  readonly #running = new Map<string, boolean>();
  readonly #abort = new AbortController();
  readonly #lastFinished = Promise.withResolvers<void>();
  #state: 'stopped' | 'working' | 'draining' = 'stopped';
  #pumping = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#later = new DelayedKeys(this.#clock, (key) => this.add(key));
    const limits = options.backoff ?? { initialMs: 50, maxMs: 60_000 };
    this.#retries = new RetryDelays(limits, options.random ?? Math.random);
    this.#metrics =
      options.metrics &&
      queueMetrics(options.metrics, options.name, () => ({
        waiting: this.#order.size,
        later: this.#later.size,
        running: this.#running.size,
      }));
  }

  /** Starts handling keys. Keys that were added before wait until then. */
  start(): void {
    if (this.#state === 'stopped') this.#state = 'working';
    this.#pump();
  }

  /** Queues the key. Cancels a delay of the key. */
  add(key: string): void {
    if (this.#state === 'draining') return;
    this.#later.cancel(key);
    if (this.#running.has(key)) {
      this.#running.set(key, true);
      return;
    }
    if (this.#order.add(key)) this.#readySince.set(key, this.#clock.monotonic());
    this.#pump();
  }

  /** Queues the key after `ms`, or earlier when it is added or already due earlier. */
  addAfter(key: string, ms: number): void {
    if (ms <= 0) this.add(key);
    else if (this.#state !== 'draining' && !this.#readySince.has(key)) this.#later.schedule(key, ms);
  }

  /**
   * Stops the queue permanently: no key is added or started, and running handlers may finish. After `deadlineMs`, the
   * signal of the remaining handlers aborts. Returns the keys of those handlers. Waiting keys are not returned: the
   * next leader finds their objects in the cluster.
   */
  async drain(deadlineMs: number): Promise<{ unfinished: string[] }> {
    this.#state = 'draining';
    this.#later.cancelAll();
    if (this.#running.size > 0) {
      const cancel = this.#clock.after(deadlineMs, () => {
        this.#abort.abort(new Error(`drain deadline of queue ${this.#options.name} exceeded`));
        this.#lastFinished.resolve();
      });
      await this.#lastFinished.promise;
      cancel();
    }
    return { unfinished: [...this.#running.keys()] };
  }

  /** Starts handlers in a microtask, so all keys that are added synchronously are ordered together. */
  #pump(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    queueMicrotask(() => {
      this.#pumping = false;
      while (this.#state === 'working' && this.#running.size < this.#options.concurrency) {
        const key = this.#order.take();
        if (key === undefined) return;
        void this.#run(key);
      }
    });
  }

  /** Never rejects. */
  async #run(key: string): Promise<void> {
    const startedAt = this.#clock.monotonic();
    this.#metrics?.started(startedAt - (this.#readySince.get(key) ?? startedAt));
    this.#readySince.delete(key);
    this.#running.set(key, false);
    const run = await this.#call(key);
    this.#metrics?.finished(this.#clock.monotonic() - startedAt);
    const addedWhileRunning = this.#running.get(key) === true;
    this.#running.delete(key);
    if (this.#state === 'draining') {
      if (this.#running.size === 0) this.#lastFinished.resolve();
      return;
    }
    this.#follow(key, run, addedWhileRunning);
    this.#pump();
  }

  async #call(key: string): Promise<Run> {
    const failures = this.#retries.failuresOf(key);
    try {
      const outcome = await this.#options.handle(key, { signal: this.#abort.signal, failures });
      return { result: 'returned', outcome: outcome ?? undefined };
    } catch (err) {
      this.#options.log.warn(
        { err, queue: this.#options.name, key, failures: failures + 1 },
        'reconciliation failed',
      );
      return { result: 'threw' };
    }
  }

  #follow(key: string, run: Run, addedWhileRunning: boolean): void {
    const decision = decideNext(run, addedWhileRunning);
    const isBackingOff = decision.next === 'retry' || decision.next === 'catch up';
    if (!isBackingOff) this.#retries.forget(key);
    switch (decision.next) {
      case 'nothing':
        break;
      case 'at-once':
        this.add(key);
        break;
      case 'after':
        this.addAfter(key, decision.ms);
        break;
      case 'retry': {
        this.#metrics?.retried();
        const backoff = this.#retries.afterFailure(key);
        this.addAfter(key, decision.atOnce ? 0 : backoff);
        break;
      }
      case 'catch up': {
        const backoff = this.#retries.afterFailure(key);
        this.addAfter(key, decision.atOnce ? 0 : Math.min(backoff, maxCatchUpMs));
      }
    }
  }
}
