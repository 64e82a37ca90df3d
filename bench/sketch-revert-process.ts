import { loadAccess } from '@trimtab/kube/identity/load-access.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { deployments, pods } from '@trimtab/kube/resource.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import { readBed } from '@trimtab/test-bed/engines/bed.ts';
import { type CrashingPod, hasCrashedTwice } from './second-crash.ts';
import { watchFromNow } from './watch-from-now.ts';

/**
 * The minimum work for a revert, as a lower bound: pod watch → patch of the Deployment back to the ConfigMap that has its
 * name. It does not judge, record or report anything.
 */
async function sketch(namespace: string): Promise<void> {
  const { kubeconfig } = await readBed(process.env['TRIMTAB_BED']);
  const client = httpClient({ access: await loadAccess({ kubeconfig }), log: silentLogger });
  const { signal } = new AbortController();
  const onOpen = () => void process.stdout.write('watching\n');
  for await (const { object } of watchFromNow<CrashingPod>(client, pods, { namespace, signal, onOpen })) {
    const name = object.metadata.labels?.['app'] ?? '';
    if (!hasCrashedTwice(object) || object.metadata.deletionTimestamp !== undefined) continue;
    const path = '/spec/template/spec/volumes/0/configMap/name';
    await client.patch(
      deployments,
      { namespace, name },
      { type: 'json', operations: [{ op: 'replace', path, value: name }] },
    );
  }
}

await sketch(process.argv[2] ?? '');
