import { apiVersion, controllerRevisions, replicaSets } from '@trimtab/kube/resource.ts';
import type { OwnerReference } from '@trimtab/kube/wire.ts';
import { labels } from '../../api/names.ts';
import type { ConfigMetadata } from '../cache/configs.ts';
import type { Revision } from '../cache/revisions.ts';
import type { MetadataChange } from '../version/patch-version-metadata.ts';

/**
 * Limit of owner references, which fit into an object beside 1 MiB of content. Revisions beyond the limit do not own
 * the version; its rollout still keeps it.
 */
const maxOwners = 500;

/**
 * Plans the change after which each revision that references the version owns it, and the in-use label is correct.
 * Returns undefined when nothing must change. Owners are only added: the garbage collector removes references to
 * owners that no longer exist. `wasAdded`: this revision was added as an owner before, so it is gone if it is missing.
 */
export function planOwnership(
  version: Pick<ConfigMetadata, 'ownerReferences' | 'labels'>,
  users: { pods: number; revisions: readonly Revision[] },
  wasAdded: (uid: string) => boolean = () => false,
): MetadataChange | undefined {
  const owners = missingOwners(version.ownerReferences, users.revisions).filter(({ uid }) => !wasAdded(uid));
  const inUse = users.pods > 0 || users.revisions.length > 0 ? 'true' : undefined;
  const change: MetadataChange = {
    ...(owners.length > 0 && { ownerReferences: [...version.ownerReferences, ...owners] }),
    ...(version.labels[labels.inUse] !== inUse && { labels: { [labels.inUse]: inUse ?? null } }),
  };
  return Object.keys(change).length === 0 ? undefined : change;
}

function missingOwners(owners: readonly OwnerReference[], revisions: readonly Revision[]): OwnerReference[] {
  // A version without owners is never garbage-collected. With a revision as its only owner it would be deleted with
  // it.
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
