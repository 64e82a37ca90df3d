import type { Store } from '../../store/store.ts';
import type { Kind } from '../kinds/kind.ts';
import type { ApiObject } from '../object.ts';
import { parseObject } from './object-text.ts';

/** Cache of all objects of a kind that every request needs, kept up to date by a watch. Ordered by key, so by name. */
export class ObjectCache<T extends ApiObject = ApiObject> {
  readonly #objects = new Map<string, T>();
  readonly #stop: () => void;
  #sorted: T[] | undefined;

  constructor(store: Store, { storagePrefix: prefix }: Kind) {
    const listed = store.list(prefix);
    for (const { key, value } of listed.items) this.#objects.set(key, parseObject(value) as T);
    this.#stop = store.watch(listed.revision, ({ type, now }) => {
      if (!now.key.startsWith(prefix)) return;
      this.#sorted = undefined;
      if (type === 'delete') this.#objects.delete(now.key);
      else this.#objects.set(now.key, parseObject(now.value) as T);
    });
  }

  all(): readonly T[] {
    this.#sorted ??= [...this.#objects].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
    return this.#sorted;
  }

  close(): void {
    this.#stop();
  }
}
