import { setInterval as every } from 'node:timers/promises';
import type { KubeClient } from '@trimtab/kube/client.ts';
import { configMaps } from '@trimtab/kube/resource.ts';

const everyMs = 500;

/**
 * Writes something now and then until told to end: on a whole cluster somebody always renews a Lease, and what is
 * newest is never forgotten.
 */
export async function keepBusy(client: KubeClient, signal: AbortSignal): Promise<void> {
  const where = { namespace: 'kube-system', name: 'busy' };
  try {
    await client.create(configMaps, { metadata: where });
    let beat = 0;
    for await (const _ of every(everyMs, undefined, { signal })) {
      beat += 1;
      await client.patch(configMaps, where, { type: 'merge', body: { data: { beat: String(beat) } } });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
