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

/** A ReplicaSet and the size it gets. The same one may come twice: it is then scaled twice. */
export interface Scaling {
  set: ReplicaSet;
  to: number;
}

/** The next step of a rolling update: up with the new one where there is room, else down with the old ones. */
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
 * What the new ReplicaSet lacks in available pods counts against the old ones: pods that do not get well must not make
 * more of the old ones go.
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
 * Pods that are not available go first: nobody misses them, and they would block the update. One that has more
 * available pods than it should is still shrinking: what can be spared is not known before it has.
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
