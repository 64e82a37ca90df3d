import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { OperationalError } from '@trimtab/kube/errors.ts';
import { loadAccess } from '@trimtab/kube/identity/load-access.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { isNotFound, NetworkError } from '@trimtab/kube/transport/errors.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import { storePath } from './apiserver/discovery/store-page.ts';
import { storeUnusable } from './errors.ts';
import { Store } from './store/store.ts';
import type { Stored } from './store/stored.ts';

/** Reads the object of a key from the API server, or from the database when the server is not running. */
export async function readKey(stateDir: string, key: string, log: Logger): Promise<Stored | undefined> {
  const kubeconfig = join(stateDir, 'admin.kubeconfig');
  const file = join(stateDir, 'store.db');
  if (!existsSync(file))
    throw new OperationalError(
      storeUnusable,
      `${stateDir} does not contain a local cluster: set --state-dir to the state folder of one`,
    );
  if (existsSync(kubeconfig)) {
    const client = httpClient({ access: await loadAccess({ kubeconfig }), log });
    try {
      return await client.raw<Stored>({ method: 'GET', path: storePath, query: { key }, timeoutMs: 5_000 });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      // The API server is not running, or another process now uses its port.
      if (!(error instanceof NetworkError)) throw error;
    } finally {
      client.close();
    }
  }
  const store = new Store({ file });
  try {
    return store.get(key);
  } finally {
    store.close();
  }
}
