import type { Deployment, ReplicaSet } from '../../objects/workloads.ts';
import {
  active,
  allSets,
  byAge,
  type DeploymentSnapshot,
  totalAvailable,
  totalReplicas,
} from './deployment-snapshot.ts';
import { limitsOf } from './limits.ts';
import type { Scaling } from './plan-rolling.ts';
import { desiredAnnotation, maxAnnotation, sizeIn } from './revisions.ts';

/** Whether spec.replicas changed since the ReplicaSets were last scaled. */
export function wasScaled(seen: DeploymentSnapshot): boolean {
  return active(allSets(seen)).some((set) => {
    const desired = sizeIn(set, desiredAnnotation);
    return desired !== undefined && desired !== seen.deployment.spec.replicas;
  });
}

/**
 * Proportional scaling: a new size during a rollout is distributed among the ReplicaSets in proportion to their sizes.
 * Scaling therefore neither advances nor reverts the rollout.
 */
export function planScaling(seen: DeploymentSnapshot): Scaling[] {
  const { deployment, newSet } = seen;
  const { replicas } = deployment.spec;
  const only = activeOrLatest(seen);
  if (only !== undefined) return only.spec.replicas === replicas ? [] : [{ set: only, to: replicas }];
  if (newSet !== undefined && isSaturated(deployment, newSet))
    return active(seen.oldSets).map((set) => ({ set, to: 0 }));
  return deployment.spec.strategy.type === 'RollingUpdate' ? shareOut(seen) : [];
}

/** The only active ReplicaSet, or the newest one when none is active. Undefined when several are active. */
function activeOrLatest(seen: DeploymentSnapshot): ReplicaSet | undefined {
  const [first, ...others] = active(allSets(seen));
  if (first !== undefined) return others.length === 0 ? first : undefined;
  return seen.newSet ?? seen.oldSets.at(-1);
}

function isSaturated({ spec }: Deployment, newSet: ReplicaSet): boolean {
  return (
    newSet.spec.replicas === spec.replicas &&
    sizeIn(newSet, desiredAnnotation) === spec.replicas &&
    totalAvailable([newSet]) === spec.replicas
  );
}

function shareOut(seen: DeploymentSnapshot): Scaling[] {
  const { deployment } = seen;
  const { replicas } = deployment.spec;
  const sets = active(allSets(seen));
  const allowed = replicas === 0 ? 0 : replicas + limitsOf(deployment).maxSurge;
  const toAdd = allowed - totalReplicas(sets);
  // The largest first. Among equal sizes, the newer one is scaled up first and the older one is scaled down first.
  sets.sort((a, b) => b.spec.replicas - a.spec.replicas || (toAdd > 0 ? byAge(b, a) : byAge(a, b)));
  let left = toAdd;
  const shared = sets.map((set) => {
    const fraction = fractionOf(set, deployment);
    const share = toAdd > 0 ? Math.min(fraction, left) : Math.max(fraction, left);
    if (toAdd === 0 || left === 0) return { set, to: set.spec.replicas };
    left -= share;
    return { set, to: set.spec.replicas + share };
  });
  const [largest] = shared;
  if (largest !== undefined) largest.to = Math.max(0, largest.to + left);
  return shared;
}

/** The proportional change in size of one ReplicaSet. */
function fractionOf(set: ReplicaSet, deployment: Deployment): number {
  const { replicas } = deployment.spec;
  const own = set.spec.replicas;
  if (replicas === 0) return -own;
  const maxBefore = sizeIn(set, maxAnnotation) || (deployment.status?.replicas ?? 0);
  if (maxBefore === 0) return 0;
  return Math.round((own * (replicas + limitsOf(deployment).maxSurge)) / maxBefore) - own;
}
