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

/** A workload that is just rolling out something else has no problem. */
export function hasProblem(workload: WorkloadState, maxRestarts: number): boolean {
  return hasKnownCause(workload, maxRestarts) || (isBroken(workload.observed) && wasHealthy(workload));
}

/**
 * Whether it lacks pods for no reason that anybody can see: evicted, scaled up, or gone wrong by itself. A moment
 * later it is well, or it is not; moved now, it would not be judged at all.
 */
export function mustSettle(activation: Activation, workload: WorkloadState): boolean {
  const { rules } = activation;
  // How it was before this attempt is written down.
  if (workload.record !== undefined && wasMovedInLineage(activation, workload, workload.record)) return false;
  return hasProblem(workload, rules.maxRestarts) && !hasKnownCause(workload, rules.maxRestarts);
}

/** What is remembered of it meanwhile. Only getting further counts: one that goes up and down must not wait for ever. */
export function settleWait(
  { available }: ObservedWorkload,
  before: SettleWait | undefined,
  now: number,
): SettleWait {
  if (before !== undefined && available <= before.available) return before;
  return { since: now, available };
}

/** How long it waits yet: as long as it would have to be well for, to be called healthy. */
export function settleRemainingMs({ since }: SettleWait, { bakeMs }: ActivationRules, now: number): number {
  return since + bakeMs - now;
}

/** Whether something says why it is not well. */
function hasKnownCause(workload: WorkloadState, maxRestarts: number): boolean {
  const { observed, pods, references, current } = workload;
  if (observed.createFailure !== undefined || (observed.stalled && isBroken(observed))) return true;
  // Pods that a rollback has left behind fail with what was rolled back, and say nothing about the workload.
  const counts = (pod: WorkloadPod) =>
    [...pod.references].every(([config, object]) =>
      [references.get(config), current.get(config), configName(config)].includes(object),
    );
  return pods
    .filter(counts)
    .some((pod) => failureOf(pod, false, maxRestarts) !== undefined || externalCause(pod) !== undefined);
}

/**
 * Whether it ever was as it should be. StatefulSets and DaemonSets do not tell one that has broken from one that
 * still starts, or that a rollback has just moved: what we have seen of it does.
 */
function wasHealthy({ observed, record, templateHash }: WorkloadState): boolean {
  if (record?.recovering) return false;
  return observed.kind === 'Deployment' || record?.healthyTemplate === templateHash;
}

/** Moved in this attempt and not current yet. When the status was lost, the references tell. */
export function wasMovedInLineage(
  activation: Activation,
  workload: WorkloadState,
  record: AssignmentRecord,
): boolean {
  if (sameLineage(record.activation, activation.id)) return true;
  const { assignment, references, current } = workload;
  return assignment === 'ours' && [...references].some(([config, object]) => current.get(config) !== object);
}
