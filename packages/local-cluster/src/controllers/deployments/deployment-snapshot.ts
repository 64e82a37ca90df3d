import type { Deployment, ReplicaSet } from '../../objects/workloads.ts';
import { sameTemplate } from './template.ts';

/** A Deployment and its ReplicaSets at one moment. */
export interface DeploymentSnapshot {
  deployment: Deployment;
  /** The one whose template is the Deployment's, if it is there yet. */
  newSet: ReplicaSet | undefined;
  /** All others, the oldest first, with and without pods. */
  oldSets: ReplicaSet[];
}

export function deploymentSnapshot(deployment: Deployment, sets: readonly ReplicaSet[]): DeploymentSnapshot {
  const sorted = sets.toSorted(byAge);
  // There may be two after an upgrade of the cluster; the older one is taken each time.
  const newSet = sorted.find(({ spec }) => sameTemplate(spec.template, deployment.spec.template));
  return { deployment, newSet, oldSets: sorted.filter((set) => set !== newSet) };
}

export function allSets({ newSet, oldSets }: DeploymentSnapshot): ReplicaSet[] {
  return newSet === undefined ? oldSets : [...oldSets, newSet];
}

/** Those that have pods, or should have. */
export function active(sets: readonly ReplicaSet[]): ReplicaSet[] {
  return sets.filter(({ spec }) => spec.replicas > 0);
}

/** How many pods they should have together. */
export function totalReplicas(sets: readonly ReplicaSet[]): number {
  return sets.reduce((sum, { spec }) => sum + spec.replicas, 0);
}

export function totalAvailable(sets: readonly ReplicaSet[]): number {
  return sets.reduce((sum, { status }) => sum + (status?.availableReplicas ?? 0), 0);
}

/** The oldest first; names decide between those of the same second. */
export function byAge({ metadata: a }: ReplicaSet, { metadata: b }: ReplicaSet): number {
  const [first = '', second = ''] = [a.creationTimestamp, b.creationTimestamp];
  if (first !== second) return first < second ? -1 : 1;
  return (a.name ?? '') < (b.name ?? '') ? -1 : 1;
}
