import type { Store } from './store.ts';
import type { Stored } from './stored.ts';

/** Which keys to read: one key, or all keys with this prefix. */
export interface KeyQuery {
  key: string;
  prefix: boolean;
}

export interface StoredKeys {
  items: Stored[];
  /** The revision of the store. */
  revision: number;
  /** Identifies the cluster: the UID of its namespace kube-system. */
  cluster: string;
}

export function readStoredKeys(store: Store, { key, prefix }: KeyQuery): StoredKeys {
  // In etcd, a key is also its own prefix.
  const found = [store.get(key) ?? [], prefix ? store.list(key).items : []].flat();
  const namespace = store.get('/registry/namespaces/kube-system');
  const cluster = namespace === undefined ? '' : (JSON.parse(namespace.value).metadata?.uid ?? '');
  return { items: found, revision: store.revision, cluster };
}
