import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Resource } from '@trimtab/kube/resource.ts';
import type { KubeObject, ObjectMeta, OwnerReference } from '@trimtab/kube/wire.ts';

/** One object, and the version of it that was looked at: a write that comes later than another is refused. */
export interface Seen {
  resource: Resource;
  metadata: ObjectMeta;
}

/** Takes owners off, and leaves the object alone otherwise. */
export async function dropOwners(client: KubeClient, seen: Seen, uids: readonly string[]): Promise<void> {
  const rest = (seen.metadata.ownerReferences ?? []).filter(({ uid }) => !uids.includes(uid));
  await patchMeta(client, seen, { ownerReferences: rest.length > 0 ? rest : null });
}

/** Whoever owns it does not have to wait for it any more. Answers what it is then. */
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
