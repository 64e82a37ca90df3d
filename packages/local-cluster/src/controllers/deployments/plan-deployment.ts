import { isDeepStrictEqual } from 'node:util';
import type { ReplicaSet } from '../../objects/workloads.ts';
import { conditionOf, hasDeadline, type News, pauseNews } from './conditions.ts';
import { active, type DeploymentSnapshot } from './deployment-snapshot.ts';
import { newReplicaSet } from './new-set.ts';
import { planCleanup } from './plan-cleanup.ts';
import { planRolling, type Scaling } from './plan-rolling.ts';
import { planScaling, wasScaled } from './plan-scaling.ts';
import { isComplete } from './progress.ts';
import { annotationsOfNewSet, nextRevision, revisionAnnotation } from './revisions.ts';

/** The result of one reconcile. The write of every kind except `settle` triggers another reconcile. */
export type Plan =
  /** Writes a condition or the revision of the Deployment before anything else. */
  | { do: 'recordEvent'; condition?: News; revision?: string }
  /** Updates annotations and minReadySeconds of the new ReplicaSet. */
  | { do: 'adjust'; set: ReplicaSet }
  | { do: 'create'; set: ReplicaSet }
  /** Scales and deletes ReplicaSets, then writes the status. `rollout` adds the progress of the rollout. */
  | { do: 'settle'; scale: Scaling[]; remove: ReplicaSet[]; rollout: boolean };

export interface Seen extends DeploymentSnapshot {
  /** Whether any pod of an old ReplicaSet has not finished. */
  hasOldPods: boolean;
}

/** The complete policy of Deployments as an ordered list of checks. The first check that applies decides. */
export function planDeployment(seen: Seen): Plan {
  const { deployment } = seen;
  const isGoing = deployment.metadata.deletionTimestamp !== undefined;
  const pause = isGoing ? undefined : pauseNews(deployment);
  if (pause !== undefined) return { do: 'recordEvent', condition: pause };
  const upToDate = planNewest(seen);
  if (upToDate !== undefined) return upToDate;
  if (isGoing) return { do: 'settle', scale: [], remove: [], rollout: false };
  if (deployment.spec.paused === true)
    return { do: 'settle', scale: planScaling(seen), remove: planCleanup(seen), rollout: false };
  if (wasScaled(seen)) return { do: 'settle', scale: planScaling(seen), remove: [], rollout: false };
  return deployment.spec.strategy.type === 'Recreate' ? planRecreate(seen) : planUpdate(seen);
}

/** Updates the new ReplicaSet, or the Deployment's revision and Progressing condition, when they are outdated. */
function planNewest({ deployment, newSet, oldSets }: Seen): Plan | undefined {
  if (newSet === undefined) return undefined;
  const { metadata, spec } = newSet;
  const { minReadySeconds = 0 } = deployment.spec;
  const annotations = annotationsOfNewSet(deployment, metadata.annotations, nextRevision(oldSets));
  if (
    !isDeepStrictEqual(annotations, metadata.annotations ?? {}) ||
    minReadySeconds !== (spec.minReadySeconds ?? 0)
  )
    return {
      do: 'adjust',
      set: { ...newSet, metadata: { ...metadata, annotations }, spec: { ...spec, minReadySeconds } },
    };
  const revision = annotations[revisionAnnotation] ?? '';
  const isUnknown =
    hasDeadline(deployment) && conditionOf(deployment.status?.conditions, 'Progressing') === undefined;
  if (deployment.metadata.annotations?.[revisionAnnotation] === revision && !isUnknown) return undefined;
  return { do: 'recordEvent', revision, ...(isUnknown && { condition: foundNews(newSet) }) };
}

function foundNews({ metadata }: ReplicaSet): News {
  return {
    type: 'Progressing',
    status: 'True',
    reason: 'FoundNewReplicaSet',
    message: `Found new replica set "${metadata.name}"`,
  };
}

function planUpdate(seen: Seen): Plan {
  const { newSet } = seen;
  if (newSet === undefined) return { do: 'create', set: newReplicaSet(seen) };
  const scale = planRolling({ ...seen, newSet });
  return { do: 'settle', scale, remove: scale.length > 0 ? [] : cleanupWhenDone(seen), rollout: true };
}

/** Recreate: all old pods finish before the first new pod is created. */
function planRecreate(seen: Seen): Plan {
  const { deployment, newSet, oldSets } = seen;
  const down = active(oldSets).map((set) => ({ set, to: 0 }));
  if (down.length > 0 || seen.hasOldPods) return { do: 'settle', scale: down, remove: [], rollout: true };
  if (newSet === undefined) return { do: 'create', set: newReplicaSet(seen) };
  const { replicas } = deployment.spec;
  const scale = newSet.spec.replicas === replicas ? [] : [{ set: newSet, to: replicas }];
  return { do: 'settle', scale, remove: cleanupWhenDone(seen), rollout: true };
}

/** Old ReplicaSets are deleted only when the last written status reports a complete rollout. */
function cleanupWhenDone(seen: Seen): ReplicaSet[] {
  return isComplete(seen.deployment, seen.deployment.status ?? {}) ? planCleanup(seen) : [];
}
