import type { Clock } from '@trimtab/kube/clock.ts';

export interface ReviewCacheOptions {
  clock: Clock;
  /** Beyond this number of accepted credentials the oldest is dropped; the same holds for all others. */
  maxReviews: number;
  acceptedMs: number;
  refusedMs: number;
  /** While a review runs, for at most this time, callers with the same credentials wait for it. */
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
  /** Number of callers that wait for the answer. */
  waiting: number;
  /** Aborted when the last caller stops waiting for a review that has not begun; undefined when it has. */
  queued: AbortController | undefined;
}

/** How a review is started. */
export interface ReviewStart<T> {
  /** Stops the wait of this caller. The review goes on when it has begun, or when another caller waits for it. */
  signal?: AbortSignal;
  /** Runs the review when there is a slot, unless `abandoned` aborts before. By default, it runs at once. */
  queue?(run: () => Promise<T>, abandoned: AbortSignal): Promise<T>;
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
  get(
    key: string,
    expiresAt: number | undefined,
    review: () => Promise<T>,
    { signal, queue = (run) => run() }: ReviewStart<T> = {},
  ): Promise<T> {
    const found = this.#find(key);
    if (found !== undefined) return this.#wait(key, found, signal);
    const started = this.#start(key, review, queue, expiresAt);
    this.#keep(this.#others, key, started);
    return this.#wait(key, started, signal);
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

  async #wait(key: string, review: Review<T>, signal: AbortSignal | undefined): Promise<T> {
    const left = Promise.withResolvers<never>();
    const onAbort = () => left.reject(signal?.reason);
    signal?.addEventListener('abort', onAbort);
    review.waiting += 1;
    try {
      return await Promise.race([review.answer, left.promise]);
    } finally {
      signal?.removeEventListener('abort', onAbort);
      review.waiting -= 1;
      if (review.waiting === 0 && review.queued !== undefined) {
        if (this.#others.get(key) === review) this.#others.delete(key);
        review.queued.abort(new Error('no client waits for the review any more'));
      }
    }
  }

  #start(
    key: string,
    review: () => Promise<T>,
    queue: NonNullable<ReviewStart<T>['queue']>,
    expiresAt = Number.POSITIVE_INFINITY,
  ): Review<T> {
    const { clock, acceptedMs, refusedMs, pendingMs, isRefusal } = this.#options;
    const { promise: answer, resolve } = Promise.withResolvers<T>();
    const queued = new AbortController();
    const entry: Review<T> = { answer, until: Number.POSITIVE_INFINITY, waiting: 0, queued };
    const run = async () => {
      entry.queued = undefined;
      // The cache may have lost this entry while it waited, and another review of the credentials may have been accepted.
      const known = this.known(key);
      entry.until = known === undefined ? clock.monotonic() + pendingMs : 0;
      if (known !== undefined) return known;
      const accepted = await review();
      entry.accepted = accepted;
      entry.until = clock.monotonic() + Math.min(acceptedMs, expiresAt - clock.now());
      if (this.#others.get(key) === entry) this.#others.delete(key);
      this.#keep(this.#accepted, key, entry);
      return accepted;
    };
    answer.catch((error: unknown) => {
      entry.until = isRefusal(error) ? clock.monotonic() + refusedMs : 0;
    });
    resolve(queue(run, queued.signal));
    return entry;
  }
}
