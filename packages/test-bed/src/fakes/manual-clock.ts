import type { Clock } from '@trimtab/kube/clock.ts';

interface Timer {
  due: number;
  /** Timers that are due together fire in the order in which they were set. */
  order: number;
  callback: () => void;
}

/**
 * A clock that stands still until a test moves it. `advance` fires what falls due on the way, one timer at a
 * time at its own moment, and lets everything that a timer set off run before the next one fires.
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

  /** How many timers wait; lets a test see that nothing was left behind. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Moves both times on by `ms`. Timers set by timers that fire fire, too, when they fall due within it. */
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

  /** The wall clock is set, as a person or NTP would: time goes on from there, no timer fires because of it. */
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

/** One turn of the event loop: all microtasks and `process.nextTick`s that are waiting, and theirs, have run. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
