import type { CallOptions } from '@trimtab/kube/client.ts';
import { jsonPointer } from '@trimtab/kube/json/json-pointer.ts';
import { configResources, controllerRevisions, replicaSets } from '@trimtab/kube/resource.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { OwnerReference } from '@trimtab/kube/wire.ts';
import { annotations, labels } from '../../api/names.ts';
import {
  formatRejection,
  parseRejection,
  type RejectedSet,
  type Rejection,
  withRejectedSet,
} from '../../core/activation/rejection.ts';
import type { VersionMetadata } from '../../core/version/version-metadata.ts';
import type { ConfigMetadata } from '../cache/configs.ts';
import { configMetadataOf } from '../cache/lookup.ts';
import type { ControllerContext } from '../context.ts';
import { guardedPatch, type JsonOperation, StaleCacheError } from '../guarded-patch.ts';
import { planOwnership } from '../ownership/ownership-plan.ts';
import { versionUse } from '../ownership/version-use.ts';
import type { MetadataChange } from '../version/patch-version-metadata.ts';

export interface Marks {
  /** Object name of the current version. */
  current: string | undefined;
  /** Object name of the version that an activation makes current. */
  target: string | undefined;
  /** Set when the target failed or was aborted: the versions that were tried together, and the reason. */
  rejection: ({ set: RejectedSet } & Omit<Rejection, 'sets'>) | undefined;
  /** The activation of the target begins: no workload references the target yet. */
  begins?: boolean;
}

/**
 * Whether no user can delete a version, so that a workload may reference it before its marks are written. `begins`:
 * an activation of the version begins. The cache may not show the mark of a purge yet, and only versions that old
 * revisions name are purged without a change of the in-use label.
 */
export function isHeld(
  { inUse, purgedBy, ownerReferences }: VersionMetadata,
  begins: boolean | undefined,
): boolean {
  return inUse && purgedBy === undefined && !(begins && ownerReferences.some(isRevision));
}

function isRevision({ kind }: OwnerReference): boolean {
  return kind === replicaSets.kind || kind === controllerRevisions.kind;
}

/** Writes the state of each version to its labels and annotations, in the order of the plan. */
export async function markVersions(
  { client, cluster }: ControllerContext,
  versions: readonly VersionMetadata[],
  marks: Marks,
  how: CallOptions,
): Promise<void> {
  const ownership = ({ kind, namespace, object }: VersionMetadata) => {
    const metadata = configMetadataOf(cluster, namespace, kind, object);
    const use = metadata && { ...versionUse(cluster, metadata), isMoving: false, isWanted: false };
    const change = use && planOwnership(metadata, use);
    return change && { before: metadata, change };
  };
  for (const { version, mustHold, operations } of planMarks(versions, marks, ownership)) {
    const where = { namespace: version.namespace, name: version.object };
    await guardedPatch(client, configResources[version.kind], where, operations, how).catch(
      (error: unknown) => {
        if (!isNotFound(error)) throw error;
        if (mustHold) throw new StaleCacheError(`${version.kind} ${version.object} no longer exists`);
      },
    );
  }
}

/** A change of owners and use, with the metadata that it was planned for. */
interface OwnershipChange {
  before: Pick<ConfigMetadata, 'ownerReferences' | 'labels'>;
  change: MetadataChange;
}

interface Marking {
  version: VersionMetadata;
  /** When this write fails, the following writes must not be made. */
  mustHold: boolean;
  operations: JsonOperation[];
}

/**
 * Plans the writes of marks. The current version comes first, so there is always at least one version marked current.
 * Each write tests the marks that were observed; a late write, or one planned from a stale cache, changes nothing.
 */
export function planMarks(
  versions: readonly VersionMetadata[],
  marks: Marks,
  ownership: (version: VersionMetadata) => OwnershipChange | undefined = () => undefined,
): Marking[] {
  const isCurrent = ({ object }: VersionMetadata) => object === marks.current;
  const losesMark = versions.some(
    (version) => version.state === 'current' && wantedMarks(version, versions, marks).state !== 'current',
  );
  return [...versions]
    .sort((a, b) => Number(isCurrent(b)) - Number(isCurrent(a)))
    .flatMap((version) => {
      const wanted = wantedMarks(version, versions, marks);
      const changes = changesTo(version, wanted);
      // Before another version loses the mark, a write verifies that this one has it, because the cache may be stale. A
      // target that is gone, or about to be purged, must not be assigned to a workload.
      const isAssigned = wanted.inUse === true;
      const mustHold =
        (losesMark && isCurrent(version)) ||
        (isAssigned && (changes.length > 0 || !isHeld(version, marks.begins)));
      if (changes.length === 0 && !mustHold) return [];
      // The owners change in the same patch: the version is no longer held by the workloads that it was assigned to.
      const becomesCurrent = wanted.state === 'current' && version.state !== 'current';
      const owning = becomesCurrent ? ownershipOperations(ownership(version)) : [];
      const tests = [...testsOf(version), ...(isAssigned ? [purgeTestOf(version)] : [])];
      return [{ version, mustHold, operations: [...tests, ...changes, ...owning] }];
    });
}

function ownershipOperations(planned: OwnershipChange | undefined): JsonOperation[] {
  if (planned === undefined) return [];
  const { before, change } = planned;
  const operations: JsonOperation[] = [];
  if (change.ownerReferences !== undefined)
    operations.push(
      { op: 'test', path: paths.owners, value: before.ownerReferences },
      { op: 'replace', path: paths.owners, value: change.ownerReferences },
    );
  const inUse = change.labels?.[labels.inUse];
  if (inUse === undefined) return operations;
  return [...operations, inUse === null ? { op: 'remove', path: paths.inUse } : useOperation];
}

const paths = {
  owners: '/metadata/ownerReferences',
  inUse: jsonPointer('metadata', 'labels', labels.inUse),
  state: jsonPointer('metadata', 'labels', labels.state),
  rejected: jsonPointer('metadata', 'annotations', annotations.rejected),
  currentCount: jsonPointer('metadata', 'annotations', annotations.currentCount),
  purge: jsonPointer('metadata', 'annotations', annotations.purge),
};

/** A missing label or annotation is tested as null. */
function testsOf({ uid, state, rejected }: VersionMetadata): JsonOperation[] {
  return [
    { op: 'test', path: '/metadata/uid', value: uid },
    { op: 'test', path: paths.state, value: state ?? null },
    { op: 'test', path: paths.rejected, value: rejected ?? null },
  ];
}

function purgeTestOf({ purgedBy }: VersionMetadata): JsonOperation {
  return { op: 'test', path: paths.purge, value: purgedBy ?? null };
}

const useOperation: JsonOperation = { op: 'add', path: paths.inUse, value: 'true' };

function changesTo(
  { state, rejected, inUse, purgedBy }: VersionMetadata,
  wanted: WantedMarks,
): JsonOperation[] {
  const changes: JsonOperation[] = wanted.inUse && !inUse ? [useOperation] : [];
  // A purge deletes only the state that it has marked.
  if (purgedBy !== undefined && (wanted.inUse || wanted.state === 'current'))
    changes.push({ op: 'remove', path: paths.purge });
  if (state !== wanted.state) {
    changes.push({ op: 'add', path: paths.state, value: wanted.state });
    if (wanted.count !== undefined)
      changes.push({ op: 'add', path: paths.currentCount, value: String(wanted.count) });
  }
  if (rejected === wanted.rejected) return changes;
  if (wanted.rejected === undefined) return [...changes, { op: 'remove', path: paths.rejected }];
  return [...changes, { op: 'add', path: paths.rejected, value: wanted.rejected }];
}

interface WantedMarks {
  state: string;
  rejected: string | undefined;
  /** The counter of a version that becomes current. */
  count?: number;
  /** The version must be in use before a workload references it. */
  inUse?: true;
}

function wantedMarks(
  version: VersionMetadata,
  versions: readonly VersionMetadata[],
  { current, target, rejection }: Marks,
): WantedMarks {
  // A version that has become current loses its rejections.
  if (version.object === current)
    return {
      state: 'current',
      rejected: undefined,
      count: Math.max(...versions.map(({ currentCount }) => currentCount)) + 1,
    };
  if (version.object === target) {
    // The target may be marked current already: another leader, or this one before a crash, finished the activation
    // and the status does not show it yet. Removing the mark could leave no version marked current, because that
    // leader removes the mark of the old version.
    // A version that is tried again must not look rejected while a workload runs it.
    if (rejection === undefined)
      return {
        state: version.state === 'current' ? 'current' : 'not-current',
        rejected: version.rejected,
        inUse: true,
      };
    const { set, ...now } = rejection;
    return {
      state: 'rejected',
      rejected: formatRejection(withRejectedSet(parseRejection(version.rejected), set, now)),
    };
  }
  return { state: version.rejected === undefined ? 'not-current' : 'rejected', rejected: version.rejected };
}
