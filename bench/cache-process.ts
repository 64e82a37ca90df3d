import type { Projection } from '@trimtab/kube/client.ts';
import { loadAccess } from '@trimtab/kube/identity/load-access.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { configMaps } from '@trimtab/kube/resource.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import { keepMetadata } from '@trimtab/kube/watch/keep-metadata.ts';
import { Reflector } from '@trimtab/kube/watch/reflector.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { readBed } from '@trimtab/test-bed/engines/bed.ts';

/** The figures that a child process prints: how long its cache took to sync, and the memory it uses. */
export interface CacheFigures {
  inSyncSeconds: number;
  residentBeforeMb: number;
  residentMb: number;
  highestResidentMb: number;
  residentCollectedMb: number;
  heapCollectedMb: number;
}

const mb = (bytes: number) => bytes / 1e6;

async function fill(projection: Projection, namespace: string): Promise<CacheFigures & { objects: number }> {
  const { kubeconfig } = await readBed(process.env['TRIMTAB_BED']);
  const client = httpClient({ access: await loadAccess({ kubeconfig }), log: silentLogger });
  const stop = new AbortController();
  const reflector = new Reflector<KubeObject>({
    name: 'bench',
    client,
    resource: configMaps,
    namespace,
    projection,
    transform: projection === 'metadata' ? keepMetadata : (object) => object,
    indexes: {},
    log: silentLogger,
  });
  const residentBeforeMb = mb(process.memoryUsage().rss);
  const start = performance.now();
  const running = reflector.run(stop.signal);
  await reflector.waitForSync(stop.signal);
  const inSyncSeconds = (performance.now() - start) / 1000;
  const residentMb = mb(process.memoryUsage().rss);
  globalThis.gc?.();
  const collected = process.memoryUsage();
  const figures = {
    objects: reflector.cache.size,
    inSyncSeconds,
    residentBeforeMb,
    residentMb,
    highestResidentMb: mb(process.resourceUsage().maxRSS * 1024),
    residentCollectedMb: mb(collected.rss),
    heapCollectedMb: mb(collected.heapUsed),
  };
  stop.abort();
  await running;
  client.close();
  return figures;
}

const [projection, namespace = '', expected] = process.argv.slice(2);
const { objects, ...figures } = await fill(projection === 'full' ? 'full' : 'metadata', namespace);
// Every namespace also contains kube-root-ca.crt, so there may be more objects than expected.
if (objects < Number(expected)) throw new Error(`cache is incomplete: ${objects} of ${expected} objects`);
console.log(JSON.stringify(figures));
