interface Entry {
  seen: string;
  firstMs: number;
  lastMs: number;
  times: number;
}

/** The states that a wait has observed, without repetitions, for the error of a wait that times out. */
export class Account {
  readonly #entries: Entry[] = [];
  readonly #limit: number;
  #forgotten = 0;

  constructor(limit = 30) {
    this.#limit = limit;
  }

  /** `seen` has a default because `JSON.stringify(undefined)` returns undefined in spite of its type. */
  note(atMs: number, seen = 'nothing'): void {
    const last = this.#entries.at(-1);
    if (last?.seen === seen) {
      last.lastMs = atMs;
      last.times += 1;
      return;
    }
    this.#entries.push({ seen, firstMs: atMs, lastMs: atMs, times: 1 });
    // The first and the last states are the useful ones, so entries in the middle are dropped.
    if (this.#entries.length > this.#limit) {
      this.#entries.splice(Math.floor(this.#limit / 2), 1);
      this.#forgotten += 1;
    }
  }

  render(): string {
    if (this.#entries.length === 0) return '  no state was observed';
    const lines = this.#entries.map(
      ({ seen, firstMs, lastMs, times }) =>
        `  ${seconds(firstMs)}  ${seen}${times === 1 ? '' : ` (${times} times, until ${seconds(lastMs).trim()})`}`,
    );
    if (this.#forgotten > 0)
      lines.splice(Math.floor(this.#limit / 2), 0, `          … ${this.#forgotten} more states omitted …`);
    return lines.join('\n');
  }
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`.padStart(8);
}
