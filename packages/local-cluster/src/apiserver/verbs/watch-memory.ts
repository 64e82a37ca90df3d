/** A buffer of a watch that can be dropped. */
interface Holder {
  readonly waitingBytes: number;
  drop(): void;
}

/** Limit for the data that waits for all slow clients together, so many of them cannot exhaust the server. */
const maxBytes = 256 * 1024 * 1024;

/** Counts the data that waits for the clients of all watches. Above the limit, the largest buffer is dropped. */
export class WatchMemory {
  readonly #maxBytes: number;
  readonly #holders = new Set<Holder>();
  #bytes = 0;

  constructor(max: number = maxBytes) {
    this.#maxBytes = max;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Adds to the data that waits in `holder`; negative for data that was sent or dropped. */
  changed(holder: Holder, bytes: number): void {
    this.#bytes += bytes;
    if (holder.waitingBytes > 0) this.#holders.add(holder);
    else this.#holders.delete(holder);
    while (this.#bytes > this.#maxBytes && this.#holders.size > 0) this.#largest().drop();
  }

  #largest(): Holder {
    return [...this.#holders].reduce((a, b) => (b.waitingBytes > a.waitingBytes ? b : a));
  }
}
