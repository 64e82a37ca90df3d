import type { Store } from '../../store/store.ts';
import { StatusError } from '../errors/status-error.ts';

/** Path from which `local-cluster get` reads: only the running server can open its database. */
export const storePath = '/local-cluster/store';

export function storePage(store: Store, query: URLSearchParams): object {
  const key = query.get('key') ?? '';
  const stored = store.get(key);
  if (stored === undefined) throw new StatusError(404, 'NotFound', `no object is stored under ${key}`, {});
  return stored;
}
