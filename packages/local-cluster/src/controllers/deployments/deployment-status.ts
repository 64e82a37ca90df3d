import type { Condition, Deployment, ReplicaSet } from '../../objects/workloads.ts';
import { hasDeadline, type News, withCondition, without } from './conditions.ts';
import { allSets, type DeploymentSnapshot, totalAvailable, totalReplicas } from './deployment-snapshot.ts';
import { limitsOf } from './limits.ts';
import { withProgress } from './progress.ts';

export type DeploymentStatus = NonNullable<Deployment['status']>;

/** The replica counts and the Available condition. As in Kubernetes, counts of zero are omitted. */
export function countedStatus(seen: DeploymentSnapshot, now: number): DeploymentStatus {
  const { deployment, newSet } = seen;
  const sets = allSets(seen);
  const terminatingReplicas = terminatingOf(sets);
  const { collisionCount, conditions = [] } = deployment.status ?? {};
  const available = totalAvailable(sets);
  const counts = {
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas: sum(sets, 'replicas'),
    updatedReplicas: newSet?.status?.replicas ?? 0,
    readyReplicas: sum(sets, 'readyReplicas'),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, totalReplicas(sets) - available),
  };
  return {
    ...Object.fromEntries(Object.entries(counts).filter(([, value]) => value !== 0)),
    ...(terminatingReplicas !== undefined && { terminatingReplicas }),
    ...(collisionCount !== undefined && { collisionCount }),
    conditions: withCondition(conditions, availability(deployment, available), now),
  };
}

/** The status during a possible rollout: adds the Progressing and ReplicaFailure conditions. */
export function rolloutStatus(seen: DeploymentSnapshot, now: number): DeploymentStatus {
  const counted = countedStatus(seen, now);
  const conditions = hasDeadline(seen.deployment)
    ? withProgress(seen, counted, now)
    : without(counted.conditions ?? [], 'Progressing');
  const failure = failureOf(seen);
  return {
    ...counted,
    conditions: failure === undefined ? without(conditions, 'ReplicaFailure') : passedOn(conditions, failure),
  };
}

function availability(deployment: Deployment, available: number): News {
  const isEnough = available >= deployment.spec.replicas - limitsOf(deployment).maxUnavailable;
  return isEnough
    ? {
        type: 'Available',
        status: 'True',
        reason: 'MinimumReplicasAvailable',
        message: 'Deployment has minimum availability.',
      }
    : {
        type: 'Available',
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
      };
}

function sum(sets: readonly ReplicaSet[], count: 'replicas' | 'readyReplicas'): number {
  return sets.reduce((total, { status }) => total + (status?.[count] ?? 0), 0);
}

/** Undefined when an observed ReplicaSet does not report terminatingReplicas. */
function terminatingOf(sets: readonly ReplicaSet[]): number | undefined {
  const looked = sets.filter(
    ({ status }) => status?.observedGeneration !== undefined || status?.terminatingReplicas !== undefined,
  );
  if (looked.some(({ status }) => status?.terminatingReplicas === undefined)) return undefined;
  return looked.reduce((total, { status }) => total + (status?.terminatingReplicas ?? 0), 0);
}

/** The failure of the new ReplicaSet takes precedence over those of old ones. */
function failureOf({ newSet, oldSets }: DeploymentSnapshot): Condition | undefined {
  const sets = newSet === undefined ? oldSets : [newSet, ...oldSets];
  return sets.flatMap(({ status }) => status?.conditions ?? []).find(({ type }) => type === 'ReplicaFailure');
}

function passedOn(before: readonly Condition[], failure: Condition): Condition[] {
  const current = before.find(({ type }) => type === failure.type);
  if (current?.status === failure.status && current.reason === failure.reason) return [...before];
  const { lastTransitionTime: since = '', type, status, reason = '', message = '' } = failure;
  const lastTransitionTime = current?.status === status ? (current.lastTransitionTime ?? since) : since;
  return [
    ...without(before, type),
    { type, status, lastUpdateTime: since, lastTransitionTime, reason, message },
  ];
}
