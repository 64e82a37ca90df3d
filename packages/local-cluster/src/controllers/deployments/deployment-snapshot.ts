import type { Deployment, ReplicaSet } from '../../objects/workloads.ts';
import { sameTemplate } from './template.ts';

/** A Deployment and its ReplicaSets at one point in time. */
export interface DeploymentSnapshot {
  deployment: Deployment;
  /** The ReplicaSet with the Deployment's current template. Undefined until it is created. */
  newSet: ReplicaSet | undefined;
  /** All other ReplicaSets, with and without pods, the oldest first. */
  oldSets: ReplicaSet[];
}

export function deploymentSnapshot(deployment: Deployment, sets: readonly ReplicaSet[]): DeploymentSnapshot {
  const sorted = sets.toSorted(byAge);
  // An upgrade of the cluster can leave two matching ReplicaSets. The older one is always chosen.
  const newSet = sorted.find(({ spec }) => sameTemplate(spec.template, deployment.spec.template));
  return { deployment, newSet, oldSets: sorted.filter((set) => set !== newSet) };
}

export function allSets({ newSet, oldSets }: DeploymentSnapshot): ReplicaSet[] {
  return newSet === undefined ? oldSets : [...oldSets, newSet];
}

/** The ReplicaSets with a desired size above 0. */
export function active(sets: readonly ReplicaSet[]): ReplicaSet[] {
  return sets.filter(({ spec }) => spec.replicas > 0);
}

/** The sum of the desired sizes. */
export function totalReplicas(sets: readonly ReplicaSet[]): number {
  return sets.reduce((sum, { spec }) => sum + spec.replicas, 0);
}

export function totalAvailable(sets: readonly ReplicaSet[]): number {
  return sets.reduce((sum, { status }) => sum + (status?.availableReplicas ?? 0), 0);
}

/** The oldest first. ReplicaSets created in the same second are ordered by name. */
export function byAge({ metadata: a }: ReplicaSet, { metadata: b }: ReplicaSet): number {
  const [first = '', second = ''] = [a.creationTimestamp, b.creationTimestamp];
  if (first !== second) return first < second ? -1 : 1;
  return (a.name ?? '') < (b.name ?? '') ? -1 : 1;
}
