import type { Clock } from '@trimtab/kube/clock.ts';

export interface ReviewCacheOptions {
  clock: Clock;
  /** Beyond this number the oldest review is dropped. */
  maxReviews: number;
  acceptedMs: number;
  refusedMs: number;
  /** While a review is pending, for at most this time, callers with the same credentials wait for it. */
  pendingMs: number;
  /** Whether the credentials were refused. Any other failure says nothing about them and is not cached. */
  isRefusal(error: unknown): boolean;
}

interface Review<T> {
  answer: Promise<T>;
  /** When the entry expires, on the monotonic clock. */
  until: number;
}

/** Reviews of credentials, shared by concurrent callers and cached for a short time. */
export class ReviewCache<T> {
  readonly #options: ReviewCacheOptions;
  /** Oldest review first. */
  readonly #reviews = new Map<string, Review<T>>();

  constructor(options: ReviewCacheOptions) {
    this.#options = options;
  }

  /**
   * `key` is a hash of the credentials, so a memory dump reveals none. `expiresAt` is their expiry in milliseconds since
   * the epoch. `review` must take no AbortSignal of one caller, because several callers may wait for it.
   */
  get(key: string, expiresAt: number | undefined, review: () => Promise<T>): Promise<T> {
    const { clock, maxReviews } = this.#options;
    const found = this.#reviews.get(key);
    if (found !== undefined && clock.monotonic() < found.until) return found.answer;
    this.#reviews.delete(key);
    const started = this.#start(review, expiresAt);
    this.#reviews.set(key, started);
    const oldest = this.#reviews.size > maxReviews ? this.#reviews.keys().next() : undefined;
    if (oldest !== undefined && !oldest.done) this.#reviews.delete(oldest.value);
    return started.answer;
  }

  #start(review: () => Promise<T>, expiresAt = Number.POSITIVE_INFINITY): Review<T> {
    const { clock, acceptedMs, refusedMs, pendingMs, isRefusal } = this.#options;
    const entry: Review<T> = { answer: review(), until: clock.monotonic() + pendingMs };
    const livesMs = expiresAt - clock.now();
    entry.answer.then(
      () => {
        entry.until = clock.monotonic() + Math.min(acceptedMs, livesMs);
      },
      (error: unknown) => {
        entry.until = isRefusal(error) ? clock.monotonic() + refusedMs : 0;
      },
    );
    return entry;
  }
}
