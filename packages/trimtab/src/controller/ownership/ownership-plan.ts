import { apiVersion, controllerRevisions, replicaSets } from '@trimtab/kube/resource.ts';
import type { OwnerReference } from '@trimtab/kube/wire.ts';
import { labels } from '../../api/names.ts';
import type { ConfigMetadata } from '../cache/configs.ts';
import type { Revision } from '../cache/revisions.ts';
import type { MetadataChange } from '../version/patch-version-metadata.ts';

/** An object has room for so many beside a MiB of content; beyond it the rollout alone keeps the version. */
const maxOwners = 500;

/**
 * What must change on a version so that each revision of a workload that names it owns it, and so that its
 * label tells whether it is in use. Undefined when nothing must. Owners are only ever added: the garbage
 * collector takes those away that are gone.
 */
export function planOwnership(
  version: Pick<ConfigMetadata, 'ownerReferences' | 'labels'>,
  users: { pods: number; revisions: readonly Revision[] },
): MetadataChange | undefined {
  const owners = missingOwners(version.ownerReferences, users.revisions);
  const inUse = users.pods > 0 || users.revisions.length > 0 ? 'true' : undefined;
  const change: MetadataChange = {
    ...(owners.length > 0 && { ownerReferences: [...version.ownerReferences, ...owners] }),
    ...(version.labels[labels.inUse] !== inUse && { labels: { [labels.inUse]: inUse ?? null } }),
  };
  return Object.keys(change).length === 0 ? undefined : change;
}

function missingOwners(owners: readonly OwnerReference[], revisions: readonly Revision[]): OwnerReference[] {
  // A version that nobody owns stays for ever. With a revision as its only owner it would go with that.
  if (owners.length === 0) return [];
  const known = new Set(owners.map(({ uid }) => uid));
  return revisions
    .filter(({ uid, ownerUid, deleting }) => ownerUid !== '' && !deleting && !known.has(uid))
    .sort((a, b) => (a.uid < b.uid ? -1 : 1))
    .slice(0, Math.max(0, maxOwners - owners.length))
    .map(asOwner);
}

const resources = { ReplicaSet: replicaSets, ControllerRevision: controllerRevisions } as const;

function asOwner({ kind, name, uid }: Revision): OwnerReference {
  return { apiVersion: apiVersion(resources[kind]), kind, name, uid };
}
