import { configName } from '../references/config-key.ts';
import type { ObservedWorkload } from '../workload/observed.ts';
import { externalCause, failureOf } from '../workload/pod-failure.ts';
import { isBroken } from '../workload/workload-progress.ts';
import type {
  Activation,
  ActivationRules,
  AssignmentRecord,
  SettleWait,
  WorkloadPod,
  WorkloadState,
} from './types.ts';
import { sameLineage } from './wanted-references.ts';

/** Whether the workload is unhealthy. A workload that is still rolling out another change does not count. */
export function hasProblem(workload: WorkloadState, maxRestarts: number): boolean {
  return hasKnownCause(workload, maxRestarts) || (isBroken(workload.observed) && wasHealthy(workload));
}

/**
 * Whether the workload lacks pods without a known cause: pods were evicted, it was scaled up, or it just failed. Such
 * a workload soon recovers or shows a cause. If it were moved at once, it would count as unhealthy before the
 * activation, and its result would be ignored.
 */
export function mustSettle(activation: Activation, workload: WorkloadState): boolean {
  const { rules } = activation;
  // The record already holds the workload's health before this attempt.
  if (workload.record !== undefined && wasMovedInLineage(activation, workload, workload.record)) return false;
  return hasProblem(workload, rules.maxRestarts) && !hasKnownCause(workload, rules.maxRestarts);
}

/** Restarts the wait only when more pods than ever are available, so a flapping workload does not wait forever. */
export function settleWait(
  { available }: ObservedWorkload,
  before: SettleWait | undefined,
  now: number,
): SettleWait {
  if (before !== undefined && available <= before.available) return before;
  return { since: now, available };
}

/** Remaining time of the wait, which lasts as long as the bake time. */
export function settleRemainingMs({ since }: SettleWait, { bakeMs }: ActivationRules, now: number): number {
  return since + bakeMs - now;
}

/** Whether the workload or one of its pods shows why the workload is unhealthy. */
function hasKnownCause(workload: WorkloadState, maxRestarts: number): boolean {
  const { observed, pods, references, current } = workload;
  if (observed.createFailure !== undefined || (observed.stalled && isBroken(observed))) return true;
  // Pods left over from a rollback fail with the rejected version and say nothing about the workload itself.
  const counts = (pod: WorkloadPod) =>
    [...pod.references].every(([config, object]) =>
      [references.get(config), current.get(config), configName(config)].includes(object),
    );
  return pods
    .filter(counts)
    .some((pod) => failureOf(pod, false, maxRestarts) !== undefined || externalCause(pod) !== undefined);
}

/**
 * Whether the workload has been healthy with its template. The status of a StatefulSet or DaemonSet does not
 * distinguish a workload that broke from one that is still starting or was just rolled back, so the record decides.
 */
function wasHealthy({ observed, record, templateHash }: WorkloadState): boolean {
  if (record?.recovering) return false;
  return observed.kind === 'Deployment' || record?.healthyTemplate === templateHash;
}

/**
 * Whether this attempt has already moved the workload. If the status was lost, assigned references to versions that
 * are not current show the same.
 */
export function wasMovedInLineage(
  activation: Activation,
  workload: WorkloadState,
  record: AssignmentRecord,
): boolean {
  if (sameLineage(record.activation, activation.id)) return true;
  const { assignment, references, current } = workload;
  return assignment === 'ours' && [...references].some(([config, object]) => current.get(config) !== object);
}
