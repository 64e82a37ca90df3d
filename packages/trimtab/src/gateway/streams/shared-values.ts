/** Values kept for sharing. Pods of one workload arrive together, so few are needed at a time. */
const maxValues = 1_000;

/** Gives equal values the same object. Pods of one workload have equal specs, and thousands of them are cached. */
export class SharedValues<T> {
  readonly #make: (text: string) => T;
  /** Least recently used first. */
  readonly #values = new Map<string, T>();

  constructor(make: (text: string) => T) {
    this.#make = make;
  }

  /** Returns the value that this text describes. */
  get(text: string): T {
    const value = this.#values.get(text) ?? this.#make(text);
    this.#values.delete(text);
    this.#values.set(text, value);
    const [oldest] = this.#values.keys();
    if (this.#values.size > maxValues && oldest !== undefined) this.#values.delete(oldest);
    return value;
  }
}
