import type { Stored } from './stored.ts';

/**
 * A least-recently-used cache of current objects: a client that updates an object has usually just read it. Evicts the
 * oldest entries when the total length of the values exceeds the limit.
 */
export class Recent {
  readonly #mostChars: number;
  readonly #stored = new Map<string, Stored>();
  #chars = 0;

  constructor(mostChars: number) {
    this.#mostChars = mostChars;
  }

  get(key: string): Stored | undefined {
    const found = this.#stored.get(key);
    if (found === undefined) return undefined;
    // A Map keeps insertion order: setting the entry again makes it the most recent.
    this.#stored.delete(key);
    this.#stored.set(key, found);
    return found;
  }

  set(stored: Stored): void {
    this.delete(stored.key);
    this.#stored.set(stored.key, stored);
    this.#chars += stored.value.length;
    for (const [key] of this.#stored) {
      if (this.#chars <= this.#mostChars) break;
      this.delete(key);
    }
  }

  delete(key: string): void {
    const found = this.#stored.get(key);
    if (found === undefined) return;
    this.#stored.delete(key);
    this.#chars -= found.value.length;
  }
}
