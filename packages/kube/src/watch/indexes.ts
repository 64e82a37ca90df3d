/** Functions that map an object to its index keys, for example a workload to its configs. */
export type IndexFunctions<T, Index extends string> = Readonly<Record<Index, (value: T) => Iterable<string>>>;

const none: ReadonlySet<string> = new Set();

/** Secondary indexes of a store, updated with each change. An index key without objects takes no memory. */
export class Indexes<T, Index extends string> {
  readonly #indexes = new Map<
    string,
    { of: (value: T) => Iterable<string>; keys: Map<string, Set<string>> }
  >();

  constructor(functions: IndexFunctions<T, Index>) {
    for (const [name, of] of Object.entries<(value: T) => Iterable<string>>(functions))
      this.#indexes.set(name, { of, keys: new Map() });
  }

  keysBy(index: Index, indexKey: string): ReadonlySet<string> {
    return this.#indexes.get(index)?.keys.get(indexKey) ?? none;
  }

  move(key: string, before: T | undefined, after: T | undefined): void {
    for (const { of, keys } of this.#indexes.values()) {
      const stale = new Set(before === undefined ? [] : of(before));
      const fresh = new Set(after === undefined ? [] : of(after));
      for (const indexKey of stale) if (!fresh.has(indexKey)) take(keys, indexKey, key);
      for (const indexKey of fresh) if (!stale.has(indexKey)) give(keys, indexKey, key);
    }
  }
}

function give(keys: Map<string, Set<string>>, indexKey: string, key: string): void {
  const members = keys.get(indexKey);
  if (members) members.add(key);
  else keys.set(indexKey, new Set([key]));
}

function take(keys: Map<string, Set<string>>, indexKey: string, key: string): void {
  const members = keys.get(indexKey);
  if (members?.delete(key) && members.size === 0) keys.delete(indexKey);
}
