import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Resource } from '@trimtab/kube/resource.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { Claim } from './claim.ts';
import { controllerReference } from './new-pod.ts';

interface Parties {
  owner: KubeObject;
  ownerResource: Resource;
  resource: Resource;
}

/** Adopts and releases objects as planned. Returns the objects that belong to the owner afterwards. */
export async function carryOutClaim<T extends KubeObject>(
  client: KubeClient,
  { owner, ownerResource, resource }: Parties,
  { owned, adopt, release }: Claim<T>,
): Promise<T[]> {
  const mine = [...owned];
  if (adopt.length > 0) {
    // The cache may be stale: an owner that is terminating, or was replaced under the same name, must not adopt.
    const { namespace = '', name = '', uid } = owner.metadata;
    const fresh = await client.get(ownerResource, { namespace, name });
    if (fresh.metadata.uid !== uid || fresh.metadata.deletionTimestamp !== undefined) return mine;
  }
  for (const each of adopt) {
    const reference = controllerReference(ownerResource, owner);
    const adopted = await patchOwners<T>(client, resource, each, { ownerReferences: [reference] });
    if (adopted !== undefined) mine.push({ ...each, metadata: adopted.metadata });
  }
  for (const each of release) {
    const body = { ownerReferences: [{ $patch: 'delete', uid: owner.metadata.uid }] };
    await patchOwners(client, resource, each, body);
  }
  return mine;
}

/** Returns undefined when the object does not exist. A different UID is a conflict, which requeues the key. */
async function patchOwners<T extends KubeObject>(
  client: KubeClient,
  resource: Resource,
  { metadata }: T,
  owners: object,
): Promise<T | undefined> {
  const { namespace = '', name = '', uid } = metadata;
  const body = { metadata: { uid, ...owners } };
  return client
    .patch<T>(resource, { namespace, name }, { type: 'strategic', body })
    .catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
}
