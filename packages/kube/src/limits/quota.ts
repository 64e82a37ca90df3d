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
    const exhausted = this.exhaustedBy(holder, amount);
    if (exhausted === undefined) this.add(holder, amount);
    return exhausted;
  }

  /** The limit that would be exceeded. */
  exhaustedBy(holder: string, amount: number): Exhausted | undefined {
    if ((this.#byHolder.get(holder) ?? 0) + amount > this.#max.perHolder) return 'holder';
    return this.#used + amount > this.#max.total ? 'total' : undefined;
  }

  /** Takes the amount, also when a limit is exceeded. */
  add(holder: string, amount: number): void {
    this.#byHolder.set(holder, (this.#byHolder.get(holder) ?? 0) + amount);
    this.#used += amount;
  }

  release(holder: string, amount: number): void {
    const left = (this.#byHolder.get(holder) ?? 0) - amount;
    if (left > 0) this.#byHolder.set(holder, left);
    else this.#byHolder.delete(holder);
    this.#used -= amount;
  }
}
