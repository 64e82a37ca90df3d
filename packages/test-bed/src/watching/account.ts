interface Entry {
  seen: string;
  firstMs: number;
  lastMs: number;
  times: number;
}

/** Keeps what a wait has seen, without repeating itself, so that the one that ran out can tell its story. */
export class Account {
  readonly #entries: Entry[] = [];
  readonly #limit: number;
  #forgotten = 0;

  constructor(limit = 30) {
    this.#limit = limit;
  }

  /** `JSON.stringify` of nothing is undefined, whatever its type says. */
  note(atMs: number, seen = 'nothing'): void {
    const last = this.#entries.at(-1);
    if (last?.seen === seen) {
      last.lastMs = atMs;
      last.times += 1;
      return;
    }
    this.#entries.push({ seen, firstMs: atMs, lastMs: atMs, times: 1 });
    // The beginning tells how it started and the end where it hung: the middle is what can go.
    if (this.#entries.length > this.#limit) {
      this.#entries.splice(Math.floor(this.#limit / 2), 1);
      this.#forgotten += 1;
    }
  }

  render(): string {
    if (this.#entries.length === 0) return '  nothing was seen at all';
    const lines = this.#entries.map(
      ({ seen, firstMs, lastMs, times }) =>
        `  ${seconds(firstMs)}  ${seen}${times === 1 ? '' : ` (${times} times, until ${seconds(lastMs).trim()})`}`,
    );
    if (this.#forgotten > 0)
      lines.splice(Math.floor(this.#limit / 2), 0, `          … ${this.#forgotten} more states, left out …`);
    return lines.join('\n');
  }
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`.padStart(8);
}
