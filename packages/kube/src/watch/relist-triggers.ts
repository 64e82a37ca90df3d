import type { Clock } from '../clock.ts';
import { Interruption } from './failure.ts';

/**
 * Triggers of a relist without a failure: a call of `ask`, or the periodic timer. Both interrupt a stream that is
 * being followed and the backoff after a failure. They never interrupt a sync in progress, because frequent requests
 * would keep it from completing.
 */
export class RelistTriggers {
  readonly #clock: Clock;
  #waiting: PromiseWithResolvers<void>[] = [];
  #served: PromiseWithResolvers<void>[] = [];
  #due = false;
  #cancelTimer = () => {};
  #interruptible: AbortController | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get wanted(): 'asked' | 'periodic' | undefined {
    if (this.#waiting.length > 0) return 'asked';
    return this.#due ? 'periodic' : undefined;
  }

  /** Resolves when a sync that starts after this call has succeeded. */
  ask(): Promise<void> {
    const request = Promise.withResolvers<void>();
    this.#waiting.push(request);
    this.#interruptible?.abort(new Interruption('asked'));
    return request.promise;
  }

  /** Lets triggers abort `controller` until `release` is called. A pending trigger aborts it immediately. */
  mayInterrupt(controller: AbortController): void {
    this.#interruptible = controller;
    if (this.wanted) controller.abort(new Interruption(this.wanted));
  }

  release(): void {
    this.#interruptible = undefined;
  }

  syncStarts(): void {
    this.#cancelTimer();
    this.#due = false;
    // `#served` may still hold requests whose sync failed; this sync serves them, too.
    this.#served.push(...this.#waiting);
    this.#waiting = [];
  }

  syncEnds(nextInMs: number): void {
    for (const request of this.#served) request.resolve();
    this.#served = [];
    this.#cancelTimer = this.#clock.after(nextInMs, () => {
      this.#due = true;
      this.#interruptible?.abort(new Interruption('periodic'));
    });
  }

  stop(reason: unknown): void {
    this.#cancelTimer();
    for (const request of [...this.#served, ...this.#waiting]) request.reject(reason);
    this.#served = [];
    this.#waiting = [];
  }
}
