import type { Clock } from '@trimtab/kube/clock.ts';

interface Timer {
  due: number;
  /** Timers that are due together fire in the order in which they were set. */
  order: number;
  callback: () => void;
}

/** Whoever works asks for the time or sets a timer now and then: so many turns without that, and nobody works. */
const quietTurns = 3;
/** Nothing takes as many timers, or as many turns at one moment: what only keeps itself busy has to end. */
const mostJumps = 200_000;
const mostTurns = 1_000_000;

/**
 * A clock for everything that talks inside one process. It stands still while anybody is at work, and jumps to the
 * next timer when nobody is: an hour of waiting takes no time, and no timeout fires because the machine was busy.
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
    const timer = { due: this.#monotonic + Math.max(0, ms), order: this.#order++, callback };
    this.#timers.add(timer);
    return () => {
      this.#isTouched = true;
      this.#timers.delete(timer);
    };
  }

  /** The time, without being at work. */
  get time(): number {
    return this.#monotonic;
  }

  /** Lets time pass until this is so. It is asked whenever nobody works; what it throws ends the drive. */
  async until(isSo: () => boolean): Promise<void> {
    for (let jumps = 0; ; jumps++) {
      await this.#quiet();
      if (isSo()) return;
      if (jumps > mostJumps) throw new Error(`after ${mostJumps} timers it is still not so`);
      if (this.#timers.size > 0) this.#jump();
      // Somebody waits for the machine: for a file that is to be removed.
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
      if (turns > mostTurns) throw new Error(`somebody is at work without an end, at ${this.#monotonic} ms`);
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
