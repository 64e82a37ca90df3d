/** A created value and its size; `bytes` is undefined for a value that must not be cached. */
export interface Made<T> {
  value: T;
  bytes: number | undefined;
}

/**
 * A cache that creates each value once, also for calls that arrive while it is being created. Beyond the size limit the
 * least recently used values are evicted.
 */
export class BoundedCache<T> {
  readonly #maxBytes: number;
  /** Least recently used first. */
  readonly #entries = new Map<string, { value: Promise<T>; bytes: number }>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(key: string, make: () => Promise<Made<T>>): Promise<T> {
    const known = this.#entries.get(key);
    if (known !== undefined) {
      this.#entries.delete(key);
      this.#entries.set(key, known);
      return known.value;
    }
    const made = make();
    const entry = { value: made.then(({ value }) => value), bytes: 0 };
    this.#entries.set(key, entry);
    made.then(
      ({ bytes }) => {
        if (bytes === undefined) return this.#forget(key, entry);
        entry.bytes = bytes;
        this.#bytes += bytes;
        this.#shrink();
      },
      () => this.#forget(key, entry),
    );
    return entry.value;
  }

  #shrink(): void {
    for (const [key, entry] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) return;
      // The size of a value that is still being created is not known.
      if (entry.bytes > 0) this.#forget(key, entry);
    }
  }

  #forget(key: string, entry: { bytes: number }): void {
    if (this.#entries.get(key) !== entry) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }
}
