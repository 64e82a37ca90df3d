import type { CallOptions } from '@trimtab/kube/client.ts';
import { jsonPointer } from '@trimtab/kube/json/json-pointer.ts';
import { configResources } from '@trimtab/kube/resource.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import { annotations, labels } from '../../api/names.ts';
import {
  formatRejection,
  parseRejection,
  type RejectedSet,
  type Rejection,
  withRejectedSet,
} from '../../core/activation/rejection.ts';
import type { VersionMetadata } from '../../core/version/version-metadata.ts';
import type { ControllerContext } from '../context.ts';
import { guardedPatch, type JsonOperation } from '../guarded-patch.ts';

export interface Marks {
  /** Object name of the current version. */
  current: string | undefined;
  /** Object name of the version that an activation makes current. */
  target: string | undefined;
  /** Set when the target failed or was aborted: the versions that were tried together, and the reason. */
  rejection: ({ set: RejectedSet } & Omit<Rejection, 'sets'>) | undefined;
}

/** Writes the state of each version to its labels and annotations, in the order of the plan. */
export async function markVersions(
  { client }: ControllerContext,
  versions: readonly VersionMetadata[],
  marks: Marks,
  how: CallOptions,
): Promise<void> {
  for (const { version, mustHold, operations } of planMarks(versions, marks)) {
    const where = { namespace: version.namespace, name: version.object };
    await guardedPatch(client, configResources[version.kind], where, operations, how).catch(
      (error: unknown) => {
        if (mustHold || !isNotFound(error)) throw error;
      },
    );
  }
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
export function planMarks(versions: readonly VersionMetadata[], marks: Marks): Marking[] {
  const isCurrent = ({ object }: VersionMetadata) => object === marks.current;
  const losesMark = versions.some(
    (version) => version.state === 'current' && wantedMarks(version, versions, marks).state !== 'current',
  );
  return [...versions]
    .sort((a, b) => Number(isCurrent(b)) - Number(isCurrent(a)))
    .flatMap((version) => {
      // Before another version loses the mark, a write verifies that this one has it, because the cache may be stale.
      const mustHold = losesMark && isCurrent(version);
      const changes = changesTo(version, wantedMarks(version, versions, marks));
      if (changes.length === 0 && !mustHold) return [];
      return [{ version, mustHold, operations: [...testsOf(version), ...changes] }];
    });
}

const paths = {
  state: jsonPointer('metadata', 'labels', labels.state),
  rejected: jsonPointer('metadata', 'annotations', annotations.rejected),
  currentCount: jsonPointer('metadata', 'annotations', annotations.currentCount),
};

/** A missing label or annotation is tested as null. */
function testsOf({ uid, state, rejected }: VersionMetadata): JsonOperation[] {
  return [
    { op: 'test', path: '/metadata/uid', value: uid },
    { op: 'test', path: paths.state, value: state ?? null },
    { op: 'test', path: paths.rejected, value: rejected ?? null },
  ];
}

function changesTo({ state, rejected }: VersionMetadata, wanted: WantedMarks): JsonOperation[] {
  const changes: JsonOperation[] = [];
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
    if (rejection === undefined)
      return { state: version.state === 'current' ? 'current' : 'being-current', rejected: version.rejected };
    const { set, ...now } = rejection;
    return {
      state: 'rejected',
      rejected: formatRejection(withRejectedSet(parseRejection(version.rejected), set, now)),
    };
  }
  return { state: version.rejected === undefined ? 'not-current' : 'rejected', rejected: version.rejected };
}
