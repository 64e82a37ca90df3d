/** What was made, and how much room it takes; undefined for what must not be kept. */
export interface Made<T> {
  value: T;
  bytes: number | undefined;
}

/**
 * Values that are made once for all who ask, also for those who ask while it is being made. When they take too much
 * room, what nobody asked for the longest time goes.
 */
export class BoundedCache<T> {
  readonly #maxBytes: number;
  /** In the order of use. */
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
      // Nothing is known yet of what is being made.
      if (entry.bytes > 0) this.#forget(key, entry);
    }
  }

  #forget(key: string, entry: { bytes: number }): void {
    if (this.#entries.get(key) !== entry) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }
}
