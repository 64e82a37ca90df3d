import type { Stored } from './stored.ts';

/**
 * What was written or read lately, as it is now: whoever changes an object has just read it. The oldest go when the
 * texts get too long.
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
    // Last in a Map is what was set last.
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
