/** Functions that map an object to its index keys, for example a workload to its configs. */
export type IndexFunctions<T, Index extends string> = Readonly<Record<Index, (value: T) => Iterable<string>>>;

const none: ReadonlySet<string> = new Set();

/** Index key → key of the object, or keys if there are several: most index keys have one object, and a Set is large. */
type Members = Map<string, string | Set<string>>;

/** Secondary indexes of a store, updated with each change. An index key without objects takes no memory. */
export class Indexes<T, Index extends string> {
  readonly #indexes = new Map<string, { of: (value: T) => Iterable<string>; members: Members }>();

  constructor(functions: IndexFunctions<T, Index>) {
    for (const [name, of] of Object.entries<(value: T) => Iterable<string>>(functions))
      this.#indexes.set(name, { of, members: new Map() });
  }

  keysBy(index: Index, indexKey: string): ReadonlySet<string> {
    const keys = this.#indexes.get(index)?.members.get(indexKey) ?? none;
    return typeof keys === 'string' ? new Set([keys]) : keys;
  }

  move(key: string, before: T | undefined, after: T | undefined): void {
    for (const { of, members } of this.#indexes.values()) {
      const stale = new Set(before === undefined ? [] : of(before));
      const fresh = new Set(after === undefined ? [] : of(after));
      for (const indexKey of stale) if (!fresh.has(indexKey)) take(members, indexKey, key);
      for (const indexKey of fresh) if (!stale.has(indexKey)) give(members, indexKey, key);
    }
  }
}

function give(members: Members, indexKey: string, key: string): void {
  const keys = members.get(indexKey);
  if (keys === undefined) members.set(indexKey, key);
  else if (typeof keys !== 'string') keys.add(key);
  else if (keys !== key) members.set(indexKey, new Set([keys, key]));
}

function take(members: Members, indexKey: string, key: string): void {
  const keys = members.get(indexKey);
  if (keys === key) members.delete(indexKey);
  else if (typeof keys === 'object' && keys.delete(key)) {
    const [left] = keys;
    if (keys.size === 1 && left !== undefined) members.set(indexKey, left);
  }
}
