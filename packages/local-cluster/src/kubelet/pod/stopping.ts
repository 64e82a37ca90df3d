import type { Clock } from '@trimtab/kube/clock.ts';

/** Minimum time between TERM and KILL, even when the grace period is shorter. */
const minimumMs = 2_000;

interface StoppingOptions {
  clock: Clock;
  graceMs: number;
  /** Must end early when its signal aborts, and must not reject. */
  preStop?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Resolves when the containers that must end first have ended. */
  turn: Promise<unknown>;
  ended: Promise<unknown>;
  term(): void;
  kill(): void;
}

/**
 * Stops one container within its grace period: preStop hook, wait for other containers, TERM, KILL. The grace period
 * can be shortened later.
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

  /** Shortens the remaining grace period to this time from now. */
  hurry(graceMs: number): void {
    // A repeated request with the same grace period changes nothing.
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
