import type { Store } from '../../store/store.ts';
import { StatusError } from '../errors/status-error.ts';

/** Where `local-cluster get` asks a server that runs: nobody else can open its database. */
export const storePath = '/local-cluster/store';

export function storePage(store: Store, query: URLSearchParams): object {
  const key = query.get('key') ?? '';
  const stored = store.get(key);
  if (stored === undefined) throw new StatusError(404, 'NotFound', `there is nothing under ${key}`, {});
  return stored;
}
