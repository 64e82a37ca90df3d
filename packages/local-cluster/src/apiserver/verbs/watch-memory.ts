/** What waits in it, and how it is got rid of. */
interface Holder {
  readonly waitingBytes: number;
  drop(): void;
}

/** What all clients that read slowly may have waiting together: many of them must not exhaust the server. */
const maxBytes = 256 * 1024 * 1024;

/** Counts what waits for the clients of all watches. When it is too much, who has most waiting loses its watch. */
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

  /** `bytes` more wait in `holder`, or fewer when it is negative. */
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
