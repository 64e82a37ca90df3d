import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Resource } from '@trimtab/kube/resource.ts';
import type { KubeObject, ObjectMeta, OwnerReference } from '@trimtab/kube/wire.ts';

/** An object as it was read. Writes carry its resourceVersion and fail when the object has changed since then. */
export interface Seen {
  resource: Resource;
  metadata: ObjectMeta;
}

/** Removes these owner references, and changes nothing else. */
export async function dropOwners(client: KubeClient, seen: Seen, uids: readonly string[]): Promise<void> {
  const rest = (seen.metadata.ownerReferences ?? []).filter(({ uid }) => !uids.includes(uid));
  await patchMeta(client, seen, { ownerReferences: rest.length > 0 ? rest : null });
}

/** Sets blockOwnerDeletion to false, so owners no longer wait for the object. Returns the patched object. */
export async function unblockOwners(client: KubeClient, seen: Seen): Promise<Seen> {
  const ownerReferences = (seen.metadata.ownerReferences ?? []).map(
    (each): OwnerReference => ({ ...each, blockOwnerDeletion: false }),
  );
  const { metadata } = await patchMeta(client, seen, { ownerReferences });
  return { ...seen, metadata };
}

export async function dropFinalizer(client: KubeClient, seen: Seen, finalizer: string): Promise<void> {
  const { finalizers = [] } = seen.metadata;
  if (!finalizers.includes(finalizer)) return;
  const rest = finalizers.filter((each) => each !== finalizer);
  await patchMeta(client, seen, { finalizers: rest.length > 0 ? rest : null });
}

function patchMeta(client: KubeClient, { resource, metadata }: Seen, change: object): Promise<KubeObject> {
  const { uid, resourceVersion } = metadata;
  return client.patch<KubeObject>(resource, placeOf(metadata), {
    type: 'merge',
    body: { metadata: { uid, resourceVersion, ...change } },
  });
}

export function placeOf({ namespace, name = '' }: ObjectMeta): { namespace?: string; name: string } {
  return { name, ...(namespace !== undefined && { namespace }) };
}
