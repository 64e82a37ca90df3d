import type { Deployment, ReplicaSet } from '../../objects/workloads.ts';
import {
  active,
  allSets,
  type DeploymentSnapshot,
  totalAvailable,
  totalReplicas,
} from './deployment-snapshot.ts';
import { limitsOf } from './limits.ts';
import { sizeOfNewSet } from './new-set.ts';

/** A ReplicaSet and its desired size. A ReplicaSet that is listed twice is scaled twice. */
export interface Scaling {
  set: ReplicaSet;
  to: number;
}

/** The next step of a rolling update: scales up the new ReplicaSet if maxSurge allows it, else scales down old ones. */
export function planRolling(seen: DeploymentSnapshot & { newSet: ReplicaSet }): Scaling[] {
  const up = planNewSet(seen);
  return up.length > 0 ? up : planOldSets(seen);
}

function planNewSet(seen: DeploymentSnapshot & { newSet: ReplicaSet }): Scaling[] {
  const { newSet, deployment } = seen;
  const { replicas } = deployment.spec;
  const to = newSet.spec.replicas > replicas ? replicas : sizeOfNewSet(seen);
  return to === newSet.spec.replicas ? [] : [{ set: newSet, to }];
}

/**
 * The unavailable pods of the new ReplicaSet reduce the number of old pods that may be removed: new pods that never
 * become available must not cause more old pods to be removed.
 */
function planOldSets(seen: DeploymentSnapshot & { newSet: ReplicaSet }): Scaling[] {
  const { deployment, newSet } = seen;
  const old = active(seen.oldSets);
  if (old.length === 0) return [];
  const missing = newSet.spec.replicas - totalAvailable([newSet]);
  const most = totalReplicas(allSets(seen)) - minAvailable(deployment) - missing;
  if (most <= 0) return [];
  const { unhealthy, isSettled } = removeUnhealthy(old, most);
  if (!isSettled) return unhealthy;
  const left = old.map((set) => sized(set, unhealthy.find((each) => each.set === set)?.to));
  const spare = totalAvailable([...old, newSet]) - minAvailable(deployment);
  return [...unhealthy, ...removeSpare(left, spare)];
}

function minAvailable(deployment: Deployment): number {
  return deployment.spec.replicas - limitsOf(deployment).maxUnavailable;
}

/**
 * Unavailable pods are removed first: they serve no requests, and they would block the update. A ReplicaSet with more
 * available pods than desired is still scaling down; until it is done, the number of removable pods is unknown.
 */
function removeUnhealthy(
  old: readonly ReplicaSet[],
  most: number,
): { unhealthy: Scaling[]; isSettled: boolean } {
  const unhealthy: Scaling[] = [];
  let left = most;
  for (const set of old) {
    if (left <= 0) break;
    const { replicas } = set.spec;
    const sick = replicas - totalAvailable([set]);
    if (sick < 0) return { unhealthy, isSettled: false };
    if (sick === 0) continue;
    const surplus = Math.min(left, sick);
    left -= surplus;
    unhealthy.push({ set, to: replicas - surplus });
  }
  return { unhealthy, isSettled: true };
}

function removeSpare(old: readonly ReplicaSet[], spare: number): Scaling[] {
  let left = spare;
  return old.flatMap((set) => {
    const surplus = Math.min(left, set.spec.replicas);
    if (surplus <= 0) return [];
    left -= surplus;
    return [{ set, to: set.spec.replicas - surplus }];
  });
}

function sized(set: ReplicaSet, replicas: number | undefined): ReplicaSet {
  return replicas === undefined ? set : { ...set, spec: { ...set.spec, replicas } };
}
