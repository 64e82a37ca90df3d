import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { OperationalError } from '@trimtab/kube/errors.ts';
import { loadAccess } from '@trimtab/kube/identity/load-access.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { NetworkError } from '@trimtab/kube/transport/errors.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import { storePath } from '../apiserver/discovery/store-page.ts';
import { storeUnusable } from '../errors.ts';
import { Store } from '../store/store.ts';
import { type KeyQuery, readStoredKeys, type StoredKeys } from '../store/stored-keys.ts';

/** Reads keys from the API server, or from the database when the server is not running. */
export async function readKeys(stateDir: string, query: KeyQuery, log: Logger): Promise<StoredKeys> {
  const kubeconfig = join(stateDir, 'admin.kubeconfig');
  const file = join(stateDir, 'store.db');
  if (!existsSync(file))
    throw new OperationalError(
      storeUnusable,
      `${stateDir} does not contain a local cluster: set --state-dir to the state folder of one`,
    );
  if (existsSync(kubeconfig)) {
    const client = httpClient({ access: await loadAccess({ kubeconfig }), log });
    const { key, prefix } = query;
    try {
      return await client.raw<StoredKeys>({
        method: 'GET',
        path: storePath,
        query: { key, prefix: String(prefix) },
        timeoutMs: 5_000,
      });
    } catch (error) {
      // The API server is not running, or another process now uses its port.
      if (!(error instanceof NetworkError)) throw error;
    } finally {
      client.close();
    }
  }
  const store = new Store({ file });
  try {
    return readStoredKeys(store, query);
  } finally {
    store.close();
  }
}
