import type { ReplicaSet } from '../../objects/workloads.ts';
import { byAge, type DeploymentSnapshot } from './deployment-snapshot.ts';
import { revisionOf } from './revisions.ts';

/** No limit is the largest number that the field can hold. */
const keepAll = 0x7fffffff;

/** Old ReplicaSets beyond the history that is kept: those of the lowest revisions, unless they still have pods. */
export function planCleanup({ deployment, oldSets }: DeploymentSnapshot): ReplicaSet[] {
  const { revisionHistoryLimit: limit } = deployment.spec;
  if (limit === undefined || limit === keepAll) return [];
  const here = oldSets.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return here
    .sort(byRevision)
    .slice(0, Math.max(0, here.length - limit))
    .filter(isDone);
}

function byRevision(a: ReplicaSet, b: ReplicaSet): number {
  const [first, second] = [revisionOf(a), revisionOf(b)];
  if (first === undefined || second === undefined || first === second) return byAge(a, b);
  return first - second;
}

/** Wants no pods, has none, and its controller knows. */
function isDone({ spec, status, metadata }: ReplicaSet): boolean {
  return (
    spec.replicas === 0 &&
    (status?.replicas ?? 0) === 0 &&
    (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0)
  );
}
