import type { Projection } from '../client.ts';
import type { KubeObject } from '../wire.ts';
import type { WatchHealth } from './health.ts';
import { Reflector, type ReflectorOptions } from './reflector.ts';
import type { Cache } from './store.ts';
import type { ChangeHandler } from './subscription.ts';

/** The watch of one collection in several namespaces, for a user who has no rights in the others: a reflector for each. */
export class ReflectorPerNamespace<T, Index extends string = never> {
  readonly name: string;
  readonly cache: Cache<T, Index>;
  readonly #byNamespace: ReadonlyMap<string, Reflector<T, Index>>;

  constructor(options: Omit<ReflectorOptions<T, Index>, 'namespace'>, namespaces: readonly string[]) {
    this.name = options.name;
    this.#byNamespace = new Map(
      namespaces.map((namespace) => [
        namespace,
        new Reflector<T, Index>({ ...options, name: `${options.name} in ${namespace}`, namespace }),
      ]),
    );
    this.cache = new CachePerNamespace(
      new Map([...this.#byNamespace].map(([namespace, { cache }]) => [namespace, cache])),
    );
  }

  get syncs(): number {
    return this.#all.reduce((sum, { syncs }) => sum + syncs, 0);
  }

  /** The least healthy watch decides. */
  health(): WatchHealth {
    const all = this.#all.map((each) => each.health());
    const failing = all
      .filter(({ failingForSeconds }) => failingForSeconds !== undefined)
      .sort((a, b) => (b.failingForSeconds ?? 0) - (a.failingForSeconds ?? 0))[0];
    return {
      ...failing,
      synced: all.every(({ synced }) => synced),
      secondsSinceActivity: Math.max(...all.map(({ secondsSinceActivity }) => secondsSinceActivity)),
    };
  }

  subscribe(handler: ChangeHandler<T>): () => void {
    const ends = this.#all.map((each) => each.subscribe(handler));
    return () => {
      for (const end of ends) end();
    };
  }

  async waitForSync(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#all.map((each) => each.waitForSync(signal)));
  }

  /** Ignores objects of other namespaces. */
  note(object: KubeObject, projection: Projection = 'full'): void {
    this.#byNamespace.get(object.metadata.namespace ?? '')?.note(object, projection);
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#all.map((each) => each.run(signal)));
  }

  get #all(): Reflector<T, Index>[] {
    return [...this.#byNamespace.values()];
  }
}

/** Reads the caches of several namespaces as one. */
class CachePerNamespace<T, Index extends string> implements Cache<T, Index> {
  readonly #caches: ReadonlyMap<string, Cache<T, Index>>;

  constructor(caches: ReadonlyMap<string, Cache<T, Index>>) {
    this.#caches = caches;
  }

  get size(): number {
    return [...this.#caches.values()].reduce((sum, { size }) => sum + size, 0);
  }

  get(key: string): T | undefined {
    return this.#of(key)?.get(key);
  }

  versionOf(key: string): string | undefined {
    return this.#of(key)?.versionOf(key);
  }

  *keys(): IterableIterator<string> {
    for (const cache of this.#caches.values()) yield* cache.keys();
  }

  *entries(): IterableIterator<[string, T]> {
    for (const cache of this.#caches.values()) yield* cache.entries();
  }

  keysBy(index: Index, indexKey: string): ReadonlySet<string> {
    const found = [...this.#caches.values()]
      .map((cache) => cache.keysBy(index, indexKey))
      .filter(({ size }) => size > 0);
    return found.length === 1 && found[0] ? found[0] : new Set(found.flatMap((keys) => [...keys]));
  }

  /** The key of an object is `<namespace>/<name>`. */
  #of(key: string): Cache<T, Index> | undefined {
    return this.#caches.get(key.slice(0, key.indexOf('/')));
  }
}
