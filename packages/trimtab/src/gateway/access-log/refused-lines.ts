import type { Clock } from '@trimtab/kube/clock.ts';
import { type Bucket, spend } from '@trimtab/kube/limits/token-bucket.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';

/** A refused request costs its client nothing, so any client could fill the log with their lines. */
const limits = { burst: 100, refillMs: 10 };
const summaryAfterMs = 1_000;

/** Limits the lines of refused requests to 100 per second, and logs how many were left out. */
export class RefusedLines {
  readonly #lines: Logger;
  readonly #clock: Clock;
  #bucket: Bucket | undefined;
  #leftOut = 0;

  constructor(log: Logger, clock: Clock) {
    this.#lines = log.child({}, { level: 'info' });
    this.#clock = clock;
  }

  /** Whether the line of a refused request may be written. A line that may not is counted. */
  admit(): boolean {
    const { allowed, bucket } = spend(this.#bucket, limits, this.#clock.monotonic());
    this.#bucket = bucket;
    if (allowed) return true;
    this.#leftOut += 1;
    if (this.#leftOut === 1) this.#clock.after(summaryAfterMs, () => this.#summarize());
    return false;
  }

  #summarize(): void {
    this.#lines.info({ count: this.#leftOut }, 'lines of refused requests left out');
    this.#leftOut = 0;
  }
}
