import { apiVersion, controllerRevisions, replicaSets } from '@trimtab/kube/resource.ts';
import type { OwnerReference } from '@trimtab/kube/wire.ts';
import { labels } from '../../api/names.ts';
import type { Workload } from '../../core/workload/reduce-workload.ts';
import { isWorkloadKind } from '../../core/workload/workload-key.ts';
import type { ConfigMetadata } from '../cache/configs.ts';
import type { Revision } from '../cache/revisions.ts';
import { workloadOwner } from '../version/assignees.ts';
import type { MetadataChange } from '../version/patch-version-metadata.ts';

/** What uses a version. */
export interface VersionUse {
  pods: number;
  revisions: readonly Revision[];
  /** Workloads whose pod template references the version. */
  workloads: readonly Pick<Workload, 'kind' | 'name' | 'uid' | 'deleting'>[];
  /**
   * The version is rolled out, or about to be. It keeps its in-use label, which its creation or its activation writes
   * before a workload references it.
   */
  isWanted: boolean;
  /** The version is wanted and its activation has not ended. */
  isMoving: boolean;
}

/**
 * Limit of owner references, which fit into an object beside 1 MiB of content. Revisions beyond the limit do not own
 * the version; its rollout still keeps it.
 */
const maxOwners = 500;

/**
 * Plans the change after which each revision that references the version owns it, and the in-use label is correct.
 * Returns undefined when nothing must change. A workload owns the version until one of its revisions does. During an
 * activation nothing changes while all workloads are covered: the patch that ends the activation adds the revisions.
 *
 * Revisions are only added: the garbage collector removes references to owners that no longer exist. `wasAdded`: this
 * revision was added as an owner before, so it is gone if it is missing.
 */
export function planOwnership(
  version: Pick<ConfigMetadata, 'ownerReferences' | 'labels'>,
  use: VersionUse,
  wasAdded: (uid: string) => boolean = () => false,
): MetadataChange | undefined {
  const ownerReferences = planOwners(version.ownerReferences, use, wasAdded);
  const before = version.labels[labels.inUse];
  const isUsed = use.pods > 0 || use.revisions.length > 0 || use.workloads.length > 0;
  const inUse = isUsed ? 'true' : use.isWanted ? before : undefined;
  const change: MetadataChange = {
    ...(ownerReferences !== undefined && { ownerReferences }),
    ...(before !== inUse && { labels: { [labels.inUse]: inUse ?? null } }),
  };
  return Object.keys(change).length === 0 ? undefined : change;
}

/** Returns undefined when the owners must not change. */
function planOwners(
  owners: OwnerReference[],
  use: VersionUse,
  wasAdded: (uid: string) => boolean,
): OwnerReference[] | undefined {
  // A version without owners is never garbage-collected. With a revision as its only owner it would be deleted with
  // it.
  if (owners.length === 0) return undefined;
  const known = new Set(owners.map(({ uid }) => uid));
  const ownedRevisions = use.revisions.filter(({ uid, deleting }) => known.has(uid) && !deleting);
  const covered = new Set([...known, ...ownedRevisions.map(({ ownerUid }) => ownerUid)]);
  if (use.isMoving && use.workloads.every(({ uid }) => covered.has(uid))) return undefined;

  const added = use.revisions
    .filter(({ uid, ownerUid, deleting }) => ownerUid !== '' && !deleting && !known.has(uid))
    .filter(({ uid }) => !wasAdded(uid))
    .sort((a, b) => (a.uid < b.uid ? -1 : 1))
    .slice(0, Math.max(0, maxOwners - owners.length));
  const byRevision = new Set([...ownedRevisions, ...added].map(({ ownerUid }) => ownerUid));
  const referencing = new Set(use.workloads.map(({ uid }) => uid));
  const isOver = ({ kind, uid }: OwnerReference) =>
    isWorkloadKind(kind) && (byRevision.has(uid) || (!referencing.has(uid) && !use.isWanted));
  const newWorkloads = use.workloads
    .filter(({ uid, deleting }) => !deleting && !known.has(uid) && !byRevision.has(uid))
    .slice(0, Math.max(0, maxOwners - owners.length - added.length));
  const kept = owners.filter((owner) => !isOver(owner));
  const wanted = [...kept, ...added.map(revisionOwner), ...newWorkloads.map(workloadOwner)];
  const isSame = kept.length === owners.length && wanted.length === owners.length;
  // The garbage collector never deletes an object whose last owner reference was removed.
  return isSame || wanted.length === 0 ? undefined : wanted;
}

/** `controller` and `blockOwnerDeletion` are not set: a version must never block the deletion of a revision. */
function revisionOwner({ kind, name, uid }: Revision): OwnerReference {
  const resource = kind === 'ReplicaSet' ? replicaSets : controllerRevisions;
  return { apiVersion: apiVersion(resource), kind, name, uid };
}
