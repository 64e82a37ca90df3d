import { type BackoffLimits, backoffMs } from '../backoff.ts';
import type { Move } from './next-move.ts';

/** Nonsense from a server counts as one story until it has made sense for so long. */
const distrustLastsMs = 300_000;

/** How long to wait before the next move: two counts of failures in a row, see `Move.wait`. */
export class Pacing {
  readonly #limits: BackoffLimits;
  readonly #random: () => number;
  #failures = 0;
  #distrusts = 0;
  #lastDistrustAt = 0;

  constructor(limits: BackoffLimits, random: () => number) {
    this.#limits = limits;
    this.#random = random;
  }

  /** The stream works again. Distrust stays: a lying stream looks just like that. */
  recovered(): void {
    this.#failures = 0;
  }

  waitMs(move: Move, now: number, retryAfterSeconds = 0): number {
    if (move.wait === 'none') return 0;
    const least = retryAfterSeconds * 1000;
    if (move.wait === 'failure')
      return Math.max(least, backoffMs(++this.#failures, this.#limits, this.#random));
    if (now - this.#lastDistrustAt > distrustLastsMs) this.#distrusts = 0;
    this.#lastDistrustAt = now;
    return Math.max(least, backoffMs(++this.#distrusts, this.#limits, this.#random));
  }
}
