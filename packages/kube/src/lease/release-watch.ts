import type { KubeClient, ObjectKey } from '../client.ts';
import { leases } from '../resource.ts';
import type { WatchEvent } from '../wire.ts';
import { type Lease, readRecord } from './record.ts';

const watchSeconds = 300;

interface ReleaseWatchOptions {
  client: KubeClient;
  lease: ObjectKey & { namespace: string };
  resourceVersion: string | undefined;
  signal: AbortSignal;
  onFree: () => void;
}

/**
 * Calls `onFree` when the Lease is released or deleted, so standby candidates need not wait for their next attempt.
 * The watch is an optimisation: it ends at the first failure. Without permission to watch, the election only polls.
 */
export async function watchForRelease(options: ReleaseWatchOptions): Promise<void> {
  const { client, lease, resourceVersion, signal, onFree } = options;
  const stream = await client.watch(leases, {
    namespace: lease.namespace,
    fieldSelector: `metadata.name=${lease.name}`,
    timeoutSeconds: watchSeconds,
    signal,
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  });
  try {
    for await (const document of stream.events) {
      const event = document as WatchEvent<Lease>;
      if (event.type === 'ERROR') return;
      if (event.type === 'DELETED' || (event.type !== 'BOOKMARK' && readRecord(event.object).holder === ''))
        onFree();
    }
  } finally {
    stream.close();
  }
}
