import type { Clock } from '@trimtab/kube/clock.ts';

/** A created value and its size; `bytes` is undefined for a value that must not be cached. */
export interface Made<T> {
  value: T;
  bytes: number | undefined;
}

/** How long values are valid, counted from the start of their creation. */
interface AgeLimit {
  clock: Clock;
  maxAgeMs: number;
}

interface Entry<T> {
  value: Promise<T>;
  bytes: number;
  createdAt: number;
}

/**
 * A cache that creates each value once, also for calls that arrive while it is being created. Beyond the size limit the
 * least recently used values are evicted. Without an age limit, values stay valid.
 */
export class BoundedCache<T> {
  readonly #maxBytes: number;
  readonly #age: AgeLimit | undefined;
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry<T>>();
  #bytes = 0;

  constructor(maxBytes: number, age?: AgeLimit) {
    this.#maxBytes = maxBytes;
    this.#age = age;
  }

  get(key: string, make: () => Promise<Made<T>>): Promise<T> {
    const known = this.#valid(key);
    if (known !== undefined) {
      this.#entries.delete(key);
      this.#entries.set(key, known);
      return known.value;
    }
    const made = make();
    const createdAt = this.#age?.clock.monotonic() ?? 0;
    const entry = { value: made.then(({ value }) => value), bytes: 0, createdAt };
    this.#entries.set(key, entry);
    made.then(
      ({ bytes }) => {
        if (bytes === undefined) return this.#forget(key, entry);
        // It became too old while it was being created.
        if (this.#entries.get(key) !== entry) return;
        entry.bytes = bytes;
        this.#bytes += bytes;
        this.#shrink();
      },
      () => this.#forget(key, entry),
    );
    return entry.value;
  }

  #valid(key: string): Entry<T> | undefined {
    const known = this.#entries.get(key);
    if (known === undefined || this.#age === undefined) return known;
    const { clock, maxAgeMs } = this.#age;
    if (clock.monotonic() - known.createdAt < maxAgeMs) return known;
    this.#forget(key, known);
    return undefined;
  }

  #shrink(): void {
    for (const [key, entry] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) return;
      // The size of a value that is still being created is not known.
      if (entry.bytes > 0) this.#forget(key, entry);
    }
  }

  #forget(key: string, entry: Entry<T>): void {
    if (this.#entries.get(key) !== entry) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }
}
