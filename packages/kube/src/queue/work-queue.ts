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
 * See outcome.ts for what its answer means. `signal` aborts when a drain runs out of time; `failures` tells
 * how often this key has failed in a row.
 */
type KeyHandler = (
  key: string,
  context: { signal: AbortSignal; failures: number },
) => Promise<ReconcileResult | undefined> | Promise<void>;

export interface WorkQueueOptions {
  name: string;
  handle: KeyHandler;
  /** How many keys are handled at a time. */
  concurrency: number;
  log: Logger;
  metrics?: Registry;
  clock?: Clock;
  random?: () => number;
  backoff?: BackoffLimits;
}

/**
 * A queue of keys (`namespace/name`, or `name`), not of events: a key says "look at this object", so adding it
 * twice before it is handled is adding it once. One key is never handled twice at the same time, namespaces
 * take turns, and no key is lost: see outcome.ts.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #clock: Clock;
  readonly #order = new FairOrder();
  readonly #later: DelayedKeys;
  readonly #retries: RetryDelays;
  readonly #metrics: QueueMetrics | undefined;
  /** When each waiting key became ready. */
  readonly #readySince = new Map<string, number>();
  /** Keys being handled → whether they were added meanwhile. */
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

  /** From here on keys are handled; those added before have waited. */
  start(): void {
    if (this.#state === 'stopped') this.#state = 'working';
    this.#pump();
  }

  /** Look at this object as soon as possible. Overrides any later time at which it was due. */
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

  /** Look at this object after `ms`; or earlier, when it is added or was due earlier. */
  addAfter(key: string, ms: number): void {
    if (ms <= 0) this.add(key);
    else if (this.#state !== 'draining' && !this.#readySince.has(key)) this.#later.make(key, ms);
  }

  /**
   * Ends the work for good: nothing is added or started any more, running handlers may finish. When they have
   * not after `deadlineMs`, their signal aborts and this returns. Answers the keys that were being handled
   * then: everything else is in the cluster and will be found again by whoever comes next.
   */
  async drain(deadlineMs: number): Promise<{ unfinished: string[] }> {
    this.#state = 'draining';
    this.#later.cancelAll();
    if (this.#running.size > 0) {
      const cancel = this.#clock.after(deadlineMs, () => {
        this.#abort.abort(new Error(`the queue ${this.#options.name} was drained`));
        this.#lastFinished.resolve();
      });
      await this.#lastFinished.promise;
      cancel();
    }
    return { unfinished: [...this.#running.keys()] };
  }

  /** Starts handlers in a microtask: all keys that are added in one go compete for the next turn. */
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
    const addedMeanwhile = this.#running.get(key) === true;
    this.#running.delete(key);
    if (this.#state === 'draining') {
      if (this.#running.size === 0) this.#lastFinished.resolve();
      return;
    }
    this.#follow(key, run, addedMeanwhile);
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
        'handler failed',
      );
      return { result: 'threw' };
    }
  }

  #follow(key: string, run: Run, addedMeanwhile: boolean): void {
    const decision = decideNext(run, addedMeanwhile);
    if (decision.next !== 'retry') this.#retries.forget(key);
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
      }
    }
  }
}
