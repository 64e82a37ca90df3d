import type { Clock } from '@trimtab/kube/clock.ts';

export interface ReviewCacheOptions {
  clock: Clock;
  /** Beyond this number of accepted credentials the oldest is dropped; the same holds for all others. */
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
  /** The answer of an accepted review. */
  accepted?: T;
  /** When the entry expires, on the monotonic clock. */
  until: number;
}

/**
 * Reviews of credentials, shared by concurrent callers and cached for a short time. Anybody can send credentials that are
 * refused, so these are kept apart: they evict no accepted ones.
 */
export class ReviewCache<T> {
  readonly #options: ReviewCacheOptions;
  /** Oldest review first. */
  readonly #accepted = new Map<string, Review<T>>();
  /** Refused and pending reviews, oldest first. */
  readonly #others = new Map<string, Review<T>>();

  constructor(options: ReviewCacheOptions) {
    this.#options = options;
  }

  /**
   * `key` is a hash of the credentials, so a memory dump reveals none. `expiresAt` is their expiry in milliseconds since
   * the epoch. `review` must take no AbortSignal of one caller, because several callers may wait for it.
   */
  get(key: string, expiresAt: number | undefined, review: () => Promise<T>): Promise<T> {
    const found = this.#find(key);
    if (found !== undefined) return found.answer;
    const started = this.#start(key, review, expiresAt);
    this.#keep(this.#others, key, started);
    return started.answer;
  }

  /** The answer of an accepted review that is still cached. Starts no review. */
  known(key: string): T | undefined {
    return this.#find(key)?.accepted;
  }

  #find(key: string): Review<T> | undefined {
    const found = this.#accepted.get(key) ?? this.#others.get(key);
    if (found !== undefined && this.#options.clock.monotonic() < found.until) return found;
    this.#accepted.delete(key);
    this.#others.delete(key);
    return undefined;
  }

  #keep(reviews: Map<string, Review<T>>, key: string, review: Review<T>): void {
    reviews.set(key, review);
    const oldest = reviews.size > this.#options.maxReviews ? reviews.keys().next() : undefined;
    if (oldest !== undefined && !oldest.done) reviews.delete(oldest.value);
  }

  #start(key: string, review: () => Promise<T>, expiresAt = Number.POSITIVE_INFINITY): Review<T> {
    const { clock, acceptedMs, refusedMs, pendingMs, isRefusal } = this.#options;
    const entry: Review<T> = { answer: review(), until: clock.monotonic() + pendingMs };
    const livesMs = expiresAt - clock.now();
    entry.answer.then(
      (answer) => {
        entry.accepted = answer;
        entry.until = clock.monotonic() + Math.min(acceptedMs, livesMs);
        if (this.#others.get(key) === entry) this.#others.delete(key);
        this.#keep(this.#accepted, key, entry);
      },
      (error: unknown) => {
        entry.until = isRefusal(error) ? clock.monotonic() + refusedMs : 0;
      },
    );
    return entry;
  }
}
