import type { Clock } from '@trimtab/kube/clock.ts';

interface Timer {
  due: number;
  /** Timers that are due together fire in the order in which they were set. */
  order: number;
  callback: () => void;
}

/**
 * Running code regularly reads the clock or sets a timer. After this many turns of the event loop without either, all
 * code is idle.
 */
const quietTurns = 3;
/** Limits of timers per wait and of turns at one moment, which stop code that only keeps itself busy. */
const mostJumps = 200_000;
const mostTurns = 1_000_000;

/**
 * A clock for code that communicates within one process. It stands still while any code runs, and jumps to the next
 * timer when all code is idle. An hour of waiting takes no time, and no timeout fires because the machine is busy.
 */
export class DrivenClock implements Clock {
  #monotonic = 0;
  readonly #wallOffset: number;
  #order = 0;
  #isTouched = false;
  readonly #timers = new Set<Timer>();

  constructor(wallClock: number = Date.UTC(2026, 0, 1)) {
    this.#wallOffset = wallClock;
  }

  now(): number {
    this.#isTouched = true;
    return this.#wallOffset + this.#monotonic;
  }

  monotonic(): number {
    this.#isTouched = true;
    return this.#monotonic;
  }

  after(ms: number, callback: () => void): () => void {
    this.#isTouched = true;
    // Like timers of Node, in whole milliseconds. A remainder of rounding would be lost in the sum, and code that waits
    // for it would wait at the same moment for ever.
    const timer = { due: this.#monotonic + Math.max(0, Math.ceil(ms)), order: this.#order++, callback };
    this.#timers.add(timer);
    return () => {
      this.#isTouched = true;
      this.#timers.delete(timer);
    };
  }

  /** The monotonic time; reading it does not count as activity. */
  get time(): number {
    return this.#monotonic;
  }

  /**
   * Lets time pass until the condition is true. The condition is checked whenever all code is idle; its errors are
   * thrown.
   */
  async until(isSo: () => boolean): Promise<void> {
    for (let jumps = 0; ; jumps++) {
      await this.#quiet();
      if (isSo()) return;
      if (jumps > mostJumps)
        throw new Error(`condition is not met after ${mostJumps} timers, at ${this.#monotonic} ms`);
      if (this.#timers.size > 0) this.#jump();
      // Some code waits for the operating system, for example for the removal of a file.
      else await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  /** Lets time pass until a promise is settled. */
  async during<T>(work: Promise<T>): Promise<T> {
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    work.then(settle, settle);
    await this.until(() => isSettled);
    return work;
  }

  async pass(ms: number): Promise<void> {
    const end = this.#monotonic + ms;
    this.after(ms, () => {});
    await this.until(() => this.#monotonic >= end);
  }

  async #quiet(): Promise<void> {
    let quiet = 0;
    for (let turns = 0; quiet < quietTurns; turns++) {
      if (turns > mostTurns) throw new Error(`code does not become idle at ${this.#monotonic} ms`);
      this.#isTouched = false;
      await new Promise((resolve) => setImmediate(resolve));
      quiet = this.#isTouched ? 0 : quiet + 1;
    }
  }

  #jump(): void {
    let next: Timer | undefined;
    for (const timer of this.#timers)
      if (!next || timer.due < next.due || (timer.due === next.due && timer.order < next.order)) next = timer;
    if (next === undefined) return;
    this.#timers.delete(next);
    this.#monotonic = next.due;
    next.callback();
  }
}
