import { backoffMs } from '../backoff.ts';
import type { Move } from './next-move.ts';
import type { WatchTimings } from './watched-collection.ts';

/** The distrust count is reset after this time without invalid events. */
const distrustLastsMs = 300_000;

/** Computes the backoff before the next move. Failures and distrust are counted separately; see `Move.wait`. */
export class Pacing {
  readonly #limits: WatchTimings['backoff'];
  readonly #random: () => number;
  #failures = 0;
  #distrusts = 0;
  #lastDistrustAt = 0;

  constructor(limits: WatchTimings['backoff'], random: () => number) {
    this.#limits = limits;
    this.#random = random;
  }

  /** Resets the failure count. The distrust count stays, because a stream with invalid events also appears to work. */
  recovered(): void {
    this.#failures = 0;
  }

  waitMs(move: Move, now: number, retryAfterSeconds = 0): number {
    if (move.wait === 'none') return 0;
    const { maxRetryAfterMs = Number.POSITIVE_INFINITY } = this.#limits;
    const least = Math.min(retryAfterSeconds * 1000, maxRetryAfterMs);
    if (move.wait === 'failure')
      return Math.max(least, backoffMs(++this.#failures, this.#limits, this.#random));
    if (now - this.#lastDistrustAt > distrustLastsMs) this.#distrusts = 0;
    this.#lastDistrustAt = now;
    return Math.max(least, backoffMs(++this.#distrusts, this.#limits, this.#random));
  }
}
