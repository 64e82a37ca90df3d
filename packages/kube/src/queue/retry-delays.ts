import { type BackoffLimits, backoffMs } from '../backoff.ts';

/** Consecutive failures and backoff of each key. Keys without failures take no memory. */
export class RetryDelays {
  readonly #failures = new Map<string, number>();
  readonly #limits: BackoffLimits;
  readonly #random: () => number;

  constructor(limits: BackoffLimits, random: () => number) {
    this.#limits = limits;
    this.#random = random;
  }

  failuresOf(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  afterFailure(key: string): number {
    const failures = this.failuresOf(key) + 1;
    this.#failures.set(key, failures);
    return backoffMs(failures, this.#limits, this.#random);
  }

  forget(key: string): void {
    this.#failures.delete(key);
  }
}
