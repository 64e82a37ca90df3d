import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Resource } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { orphan } from './owner-graph.ts';
import { dropFinalizer, dropOwners, type Seen } from './release.ts';

/**
 * Orphan deletion: removes the owner from all dependents, then removes its finalizer. The dependents are read from the
 * API server and not from the graph: one that is not in the cache yet would be deleted later for its missing owner.
 */
export async function orphanDependents(
  client: KubeClient,
  kinds: readonly Resource[],
  owner: Seen,
  signal: AbortSignal,
): Promise<void> {
  const { uid = '', namespace } = owner.metadata;
  const where = namespace === undefined ? {} : { namespace };
  for (const resource of kinds) {
    // A namespaced object cannot own objects outside its namespace.
    if (namespace !== undefined && !resource.namespaced) continue;
    const { items } = await client.list<KubeObject>(resource, { projection: 'metadata', signal, ...where });
    for (const { metadata } of items)
      if (metadata.ownerReferences?.some((each) => each.uid === uid))
        await dropOwners(client, { resource, metadata }, [uid]);
  }
  await dropFinalizer(client, owner, orphan);
}
