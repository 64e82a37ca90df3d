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

/** What a local cluster has under a key: from its server if that runs, else from its database. */
export async function readKey(stateDir: string, key: string, log: Logger): Promise<Stored | undefined> {
  const kubeconfig = join(stateDir, 'admin.kubeconfig');
  const file = join(stateDir, 'store.db');
  if (!existsSync(file))
    throw new OperationalError(
      storeUnusable,
      `${stateDir} holds no local cluster. Name the folder of one with --state-dir.`,
    );
  if (existsSync(kubeconfig)) {
    const client = httpClient({ access: await loadAccess({ kubeconfig }), log });
    try {
      return await client.raw<Stored>({ method: 'GET', path: storePath, query: { key }, timeoutMs: 5_000 });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      // It does not run, or something else has its port by now.
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
