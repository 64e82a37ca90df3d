import { loadAccess } from '@trimtab/kube/identity/load-access.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { configMaps, deployments } from '@trimtab/kube/resource.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { readBed } from '@trimtab/test-bed/engines/bed.ts';
import { watchFromNow } from './watch-from-now.ts';

/**
 * The minimum work for an edit, as a lower bound of what the machine and the API server allow: metadata watch → GET →
 * immutable copy → patch of the Deployment of the same name. It has no ledger, labels, status, Events or cache, and does
 * not recover from a crash.
 */
async function sketch(namespace: string): Promise<void> {
  const { kubeconfig } = await readBed(process.env['TRIMTAB_BED']);
  const client = httpClient({ access: await loadAccess({ kubeconfig }), log: silentLogger });
  const busy = new Map<string, 'once' | 'again'>();
  const { signal } = new AbortController();
  const onOpen = () => void process.stdout.write('watching\n');
  const events = watchFromNow(client, configMaps, { namespace, projection: 'metadata', signal, onOpen });
  for await (const { type, object } of events) {
    const { name = '' } = object.metadata;
    if (type !== 'MODIFIED' || object.metadata.labels?.['copy'] !== undefined) continue;
    if (busy.has(name)) busy.set(name, 'again');
    else void work(name);
  }

  async function work(name: string): Promise<void> {
    do {
      busy.set(name, 'once');
      const live = await client.get<KubeObject & { data?: unknown }>(configMaps, { namespace, name });
      const copy = `${name}-${live.metadata.resourceVersion}`;
      const metadata = { namespace, name: copy, labels: { copy: 'true' } };
      const { apiVersion, kind, data } = live;
      await client.create(configMaps, { apiVersion, kind, metadata, data, immutable: true } as KubeObject);
      const path = '/spec/template/spec/volumes/0/configMap/name';
      await client.patch(
        deployments,
        { namespace, name },
        { type: 'json', operations: [{ op: 'replace', path, value: copy }] },
      );
    } while (busy.get(name) === 'again');
    busy.delete(name);
  }
}

await sketch(process.argv[2] ?? '');
