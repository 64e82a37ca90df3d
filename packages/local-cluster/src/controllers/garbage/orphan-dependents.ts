import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Resource } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { orphan } from './owner-graph.ts';
import { dropFinalizer, dropOwners, type Seen } from './release.ts';

/**
 * An object is deleted for itself only: its dependents do without it, and then it goes. They are read from the server
 * and not from the graph: one that is not in the cache yet would be deleted for want of an owner a moment later.
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
    // Who lives in a namespace owns nothing outside of it.
    if (namespace !== undefined && !resource.namespaced) continue;
    const { items } = await client.list<KubeObject>(resource, { projection: 'metadata', signal, ...where });
    for (const { metadata } of items)
      if (metadata.ownerReferences?.some((each) => each.uid === uid))
        await dropOwners(client, { resource, metadata }, [uid]);
  }
  await dropFinalizer(client, owner, orphan);
}
