import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { loadAccess } from '@trimtab/kube/identity/load-access.ts';
import { configMaps } from '@trimtab/kube/resource.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import type { KubeObject, WatchEvent } from '@trimtab/kube/wire.ts';
import { readBed } from '@trimtab/test-bed/engines/bed.ts';

/**
 * The least work that has the effect of the agent: a bare watch of one ConfigMap, one write for each changed key, one
 * request. It checks nothing, and a reader may see half of a set.
 */
const [bed = '', namespace = '', root = '', url = ''] = process.argv.slice(2);
const { kubeconfig } = await readBed(bed);
const client = httpClient({ access: await loadAccess({ kubeconfig }) });
mkdirSync(root, { recursive: true });
const written = new Map<string, string>();
const stream = await client.watch(configMaps, {
  namespace,
  fieldSelector: 'metadata.name=app',
  timeoutSeconds: 3_600,
  signal: new AbortController().signal,
});
for await (const event of stream.events) {
  const { type, object } = event as WatchEvent<KubeObject & { data?: Record<string, string> }>;
  if (type === 'BOOKMARK') continue;
  for (const [key, text] of Object.entries(object.data ?? {})) {
    if (written.get(key) === text) continue;
    written.set(key, text);
    writeFileSync(path.join(root, key), text);
  }
  request(url, { method: 'POST' })
    .on('error', () => {})
    .end();
}
