import type { Clock } from '../clock.ts';
import { Interruption } from './failure.ts';

/**
 * The two reasons to read the collection anew although nothing seems wrong: somebody asks, or it is time to
 * look. Both interrupt the following of a stream and the wait after a failure, but never a reading under way:
 * it ends first, or frequent requests would keep it from ever ending.
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

  /** Resolves when a reading that starts after this call has ended well. */
  ask(): Promise<void> {
    const request = Promise.withResolvers<void>();
    this.#waiting.push(request);
    this.#interruptible?.abort(new Interruption('asked'));
    return request.promise;
  }

  /** From now on, until `release`, a trigger aborts `controller`; at once, when there is one already. */
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
    // Those whose reading failed are served by this one.
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
