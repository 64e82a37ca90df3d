/** What a quota can be exhausted for: this holder, or all together. */
export type Exhausted = 'holder' | 'total';

/** An amount of something in use, in all and per holder. */
export class Quota {
  readonly #max: { total: number; perHolder: number };
  readonly #byHolder = new Map<string, number>();
  #used = 0;

  constructor(max: { total: number; perHolder: number }) {
    this.#max = max;
  }

  get used(): number {
    return this.#used;
  }

  /** Takes nothing when a limit would be exceeded, and returns which. */
  take(holder: string, amount: number): Exhausted | undefined {
    const held = this.#byHolder.get(holder) ?? 0;
    if (held + amount > this.#max.perHolder) return 'holder';
    if (this.#used + amount > this.#max.total) return 'total';
    this.#byHolder.set(holder, held + amount);
    this.#used += amount;
    return undefined;
  }

  release(holder: string, amount: number): void {
    const left = (this.#byHolder.get(holder) ?? 0) - amount;
    if (left > 0) this.#byHolder.set(holder, left);
    else this.#byHolder.delete(holder);
    this.#used -= amount;
  }
}
