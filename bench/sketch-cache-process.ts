import { loadAccess } from '@trimtab/kube/identity/load-access.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { listAll } from '@trimtab/kube/paging.ts';
import { configMaps, deployments, type Resource, secrets } from '@trimtab/kube/resource.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { readBed } from '@trimtab/test-bed/engines/bed.ts';

/**
 * The minimum to hold of a cluster, as a lower bound of the memory of a controller: the name and the resourceVersion of
 * each ConfigMap, Secret and Deployment, kept current by metadata watches.
 */
async function sketch(namespace: string): Promise<void> {
  const { kubeconfig } = await readBed(process.env['TRIMTAB_BED']);
  const client = httpClient({ access: await loadAccess({ kubeconfig }), log: silentLogger });
  await Promise.all([configMaps, secrets, deployments].map(hold));
  process.stdout.write('watching\n');

  async function hold(resource: Resource): Promise<void> {
    const versions = new Map<string, string>();
    const keep = ({ metadata }: KubeObject) =>
      versions.set(metadata.name ?? '', metadata.resourceVersion ?? '');
    let from = '';
    for await (const page of listAll(client, resource, { namespace, projection: 'metadata' })) {
      if (page.type === 'restart') throw new Error('the list expired');
      page.items.forEach(keep);
      from = page.resourceVersion;
    }
    const { events } = await client.watch(resource, {
      namespace,
      projection: 'metadata',
      timeoutSeconds: 3_600,
      resourceVersion: from,
      signal: new AbortController().signal,
    });
    void (async () => {
      for await (const document of events) {
        const { type, object } = document as { type: string; object: KubeObject };
        if (type === 'DELETED') versions.delete(object.metadata.name ?? '');
        else keep(object);
      }
    })();
  }
}

await sketch(process.argv[2] ?? '');
