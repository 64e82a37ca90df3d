import type { ReplicaSet } from '../../objects/workloads.ts';
import { byAge, type DeploymentSnapshot } from './deployment-snapshot.ts';
import { revisionOf } from './revisions.ts';

/** The largest value of revisionHistoryLimit means that there is no limit. */
const keepAll = 0x7fffffff;

/** Old ReplicaSets beyond revisionHistoryLimit, from the lowest revision, except those that still have pods. */
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

/** Whether the ReplicaSet is scaled to 0, has no pods, and its controller has observed this generation. */
function isDone({ spec, status, metadata }: ReplicaSet): boolean {
  return (
    spec.replicas === 0 &&
    (status?.replicas ?? 0) === 0 &&
    (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0)
  );
}
