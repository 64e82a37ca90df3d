import type { Clock } from '@trimtab/kube/clock.ts';

/** The clock of one simulated process: while the process is frozen or after it is killed, its timers do not fire. */
export class ProcessClock implements Clock {
  readonly #clock: Clock;
  readonly #timers = new Set<() => void>();
  /** Timers that became due while the process was frozen. */
  #held: (() => void)[] | undefined;
  #isEnded = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  after(ms: number, callback: () => void): () => void {
    if (this.#isEnded) return () => {};
    let isOver = false;
    const fire = () => {
      if (isOver || this.#isEnded) return;
      if (this.#held !== undefined) return void this.#held.push(fire);
      this.#timers.delete(cancel);
      callback();
    };
    const stop = this.#clock.after(ms, fire);
    const cancel = () => {
      isOver = true;
      this.#timers.delete(cancel);
      stop();
    };
    this.#timers.add(cancel);
    return cancel;
  }

  freeze(): void {
    this.#held ??= [];
  }

  thaw(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const fire of held) fire();
  }

  end(): void {
    this.#isEnded = true;
    for (const cancel of [...this.#timers]) cancel();
  }
}
