import type { Store } from '../../store/store.ts';
import { readStoredKeys } from '../../store/stored-keys.ts';

/** Path from which `local-cluster get` reads: only the running server can open its database. */
export const storePath = '/local-cluster/store';

export function storePage(store: Store, query: URLSearchParams): object {
  return readStoredKeys(store, { key: query.get('key') ?? '', prefix: query.get('prefix') === 'true' });
}
