import type { Clock } from '@trimtab/kube/clock.ts';

/** However little time is left, a program gets so long after its TERM. */
const minimumMs = 2_000;

interface StoppingOptions {
  clock: Clock;
  graceMs: number;
  /** Ends early when its signal aborts; never rejects. */
  preStop?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Resolves when those have ended that must end before. */
  turn: Promise<unknown>;
  ended: Promise<unknown>;
  term(): void;
  kill(): void;
}

/**
 * The end of one container: hook, its turn, TERM, KILL, all within its grace. Asked again with less time, it hurries.
 */
export class Stopping {
  readonly #options: StoppingOptions;
  readonly #expired = new AbortController();
  readonly #over = new AbortController();
  #graceMs: number;
  #deadline: number;
  #cancel: () => void = () => {};
  #isTold = false;

  constructor(options: StoppingOptions) {
    this.#options = options;
    this.#graceMs = options.graceMs;
    this.#deadline = options.clock.monotonic() + options.graceMs;
    this.#arm();
    void options.ended.then(() => this.#over.abort());
    void this.#run();
  }

  /** At the latest this long from now. */
  hurry(graceMs: number): void {
    // The same order again is no news.
    if (graceMs >= this.#graceMs) return;
    this.#graceMs = graceMs;
    const deadline = this.#options.clock.monotonic() + graceMs;
    if (deadline >= this.#deadline) return;
    this.#deadline = deadline;
    this.#arm();
  }

  killNow(): void {
    if (!this.#over.signal.aborted) this.#options.kill();
  }

  async #run(): Promise<void> {
    const { preStop, turn, graceMs } = this.#options;
    const over = AbortSignal.any([this.#expired.signal, this.#over.signal]);
    const isOver = aborted(over);
    if (preStop !== undefined && graceMs > 0) await Promise.race([preStop(over), isOver]);
    await Promise.race([turn, isOver]);
    if (this.#over.signal.aborted) return this.#cancel();
    this.#options.term();
    this.#isTold = true;
    this.#deadline = Math.max(this.#deadline, this.#options.clock.monotonic() + minimumMs);
    this.#arm();
    await aborted(this.#over.signal);
    this.#cancel();
  }

  #arm(): void {
    this.#cancel();
    const { clock, kill } = this.#options;
    this.#cancel = clock.after(Math.max(0, this.#deadline - clock.monotonic()), () => {
      if (this.#isTold) kill();
      else this.#expired.abort();
    });
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
