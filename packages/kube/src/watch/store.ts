import { Indexes, type IndexFunctions } from './indexes.ts';

/** Notification of a change: the key, and hints. `before` is missing for a new object, `after` for a deleted one. */
export interface Change<T> {
  key: string;
  before?: T;
  after?: T;
}

/** Read access to the cache of one collection. Values are shared and must not be modified. */
export interface Cache<T, Index extends string = never> {
  readonly size: number;
  get(key: string): T | undefined;
  /** The resourceVersion of the cached object. */
  versionOf(key: string): string | undefined;
  keys(): IterableIterator<string>;
  entries(): IterableIterator<[key: string, value: T]>;
  /** Keys of the objects for which the index function returned this index key. */
  keysBy(index: Index, indexKey: string): ReadonlySet<string>;
}

interface Entry<T> {
  version: string;
  value: T;
}

/** The cache of one collection and its indexes. Calls `onChange` for each change, after the change is readable. */
export class Store<T, Index extends string = never> implements Cache<T, Index> {
  readonly #entries = new Map<string, Entry<T>>();
  readonly #indexes: Indexes<T, Index>;
  readonly #onChange: (change: Change<T>) => void;
  readonly #isSame: (before: T, after: T) => boolean;

  /** `isSame`: whether two states of an object differ in nothing that matters; then `onChange` is not called. */
  constructor(
    indexFunctions: IndexFunctions<T, Index>,
    onChange: (change: Change<T>) => void,
    isSame: (before: T, after: T) => boolean = () => false,
  ) {
    this.#indexes = new Indexes(indexFunctions);
    this.#onChange = onChange;
    this.#isSame = isSame;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): T | undefined {
    return this.#entries.get(key)?.value;
  }

  versionOf(key: string): string | undefined {
    return this.#entries.get(key)?.version;
  }

  keys(): IterableIterator<string> {
    return this.#entries.keys();
  }

  *entries(): IterableIterator<[string, T]> {
    for (const [key, entry] of this.#entries) yield [key, entry.value];
  }

  keysBy(index: Index, indexKey: string): ReadonlySet<string> {
    return this.#indexes.keysBy(index, indexKey);
  }

  put(key: string, version: string, value: T): void {
    const old = this.#entries.get(key);
    this.#entries.set(key, { version, value });
    this.#indexes.move(key, old?.value, value);
    if (old && this.#isSame(old.value, value)) return;
    this.#onChange(old ? { key, before: old.value, after: value } : { key, after: value });
  }

  remove(key: string): void {
    const old = this.#entries.get(key);
    if (!old) return;
    this.#entries.delete(key);
    this.#indexes.move(key, old.value, undefined);
    this.#onChange({ key, before: old.value });
  }

  /** Completes a sync by removing objects that it did not contain, because they no longer exist on the server. */
  keepOnly(seen: { has(key: string): boolean }): void {
    for (const key of this.#entries.keys()) if (!seen.has(key)) this.remove(key);
  }
}
