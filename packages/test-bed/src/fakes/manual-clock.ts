import type { Clock } from '@trimtab/kube/clock.ts';

interface Timer {
  due: number;
  /** Timers that are due at the same time fire in the order in which they were set. */
  order: number;
  callback: () => void;
}

/**
 * A clock that a test advances. `advance` fires the timers that become due one at a time, each at its own time, and
 * runs everything that a timer triggers before it fires the next one.
 */
export class ManualClock implements Clock {
  #monotonic = 0;
  #wallOffset: number;
  #order = 0;
  readonly #timers = new Set<Timer>();

  constructor(wallClock: number = Date.UTC(2026, 0, 1)) {
    this.#wallOffset = wallClock;
  }

  now(): number {
    return this.#wallOffset + this.#monotonic;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { due: this.#monotonic + Math.max(0, ms), order: this.#order++, callback };
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
    };
  }

  /** Number of pending timers. A test uses it to check that no timer is left. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Advances both times by `ms`. Timers that are set by firing timers also fire when they become due within it. */
  async advance(ms: number): Promise<void> {
    const until = this.#monotonic + ms;
    await settle();
    for (let next = this.#nextDue(until); next !== undefined; next = this.#nextDue(until)) {
      this.#timers.delete(next);
      this.#monotonic = next.due;
      next.callback();
      await settle();
    }
    this.#monotonic = until;
  }

  /** Sets the wall clock, as a user or NTP would. This does not fire timers. */
  setWallClock(ms: number): void {
    this.#wallOffset = ms - this.#monotonic;
  }

  #nextDue(until: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.due > until) continue;
      if (!first || timer.due < first.due || (timer.due === first.due && timer.order < first.order))
        first = timer;
    }
    return first;
  }
}

/** Waits for one iteration of the event loop: all pending microtasks and `process.nextTick` callbacks have run. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
