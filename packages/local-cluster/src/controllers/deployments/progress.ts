import type { Condition, Deployment } from '../../objects/workloads.ts';
import { conditionOf, hasDeadline, type News, replaced, withCondition } from './conditions.ts';
import type { DeploymentSnapshot } from './deployment-snapshot.ts';
import type { DeploymentStatus } from './deployment-status.ts';

/** Whether all desired pods exist, are updated and available, and no old pods are left. */
export function isComplete({ spec, metadata }: Deployment, status: DeploymentStatus): boolean {
  const { updatedReplicas = 0, replicas = 0, availableReplicas = 0, observedGeneration = 0 } = status;
  return (
    updatedReplicas === spec.replicas &&
    replicas === spec.replicas &&
    availableReplicas === spec.replicas &&
    observedGeneration >= (metadata.generation ?? 0)
  );
}

/** The conditions with an updated Progressing condition. `counted` is the current status. */
export function withProgress(seen: DeploymentSnapshot, counted: DeploymentStatus, now: number): Condition[] {
  const { deployment, newSet } = seen;
  const conditions = counted.conditions ?? [];
  const current = conditionOf(deployment.status?.conditions, 'Progressing');
  const isOldNews =
    (counted.replicas ?? 0) === (counted.updatedReplicas ?? 0) &&
    current?.reason === 'NewReplicaSetAvailable';
  if (isOldNews) return conditions;
  const what =
    newSet === undefined
      ? `Deployment "${deployment.metadata.name}"`
      : `ReplicaSet "${newSet.metadata.name}"`;
  const news = (status: News['status'], reason: string, message: string): News => ({
    type: 'Progressing',
    status,
    reason,
    message: `${what} ${message}`,
  });
  if (isComplete(deployment, counted))
    return withCondition(
      conditions,
      news('True', 'NewReplicaSetAvailable', 'has successfully progressed.'),
      now,
    );
  if (hasProgressed(deployment.status ?? {}, counted))
    return replaced(conditions, news('True', 'ReplicaSetUpdated', 'is progressing.'), now);
  if (isOverdue(deployment, conditionOf(conditions, 'Progressing'), now))
    return withCondition(
      conditions,
      news('False', 'ProgressDeadlineExceeded', 'has timed out progressing.'),
      now,
    );
  return conditions;
}

function hasProgressed(before: DeploymentStatus, after: DeploymentStatus): boolean {
  const old = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus) => replicas - updatedReplicas;
  return (
    (after.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    old(after) < old(before) ||
    (after.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (after.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

function isOverdue(deployment: Deployment, progressing: Condition | undefined, now: number): boolean {
  if (progressing === undefined || progressing.reason === 'NewReplicaSetAvailable') return false;
  return progressing.reason === 'ProgressDeadlineExceeded' || dueMs(deployment, progressing) < now;
}

function dueMs({ spec }: Deployment, { lastUpdateTime = '' }: Condition): number {
  return Date.parse(lastUpdateTime) + spec.progressDeadlineSeconds * 1000;
}

/** Milliseconds until the progress deadline must be checked. Undefined when no deadline is running. */
export function deadlineInMs(
  deployment: Deployment,
  status: DeploymentStatus,
  now: number,
): number | undefined {
  const progressing = conditionOf(status.conditions, 'Progressing');
  if (!hasDeadline(deployment) || progressing === undefined || isComplete(deployment, status))
    return undefined;
  if (['ProgressDeadlineExceeded', 'NewReplicaSetAvailable'].includes(progressing.reason ?? ''))
    return undefined;
  const due = dueMs(deployment, progressing);
  // One millisecond more: the deadline is exceeded only after it has passed.
  return Number.isNaN(due) ? undefined : Math.max(0, due - now) + 1;
}
