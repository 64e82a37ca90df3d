import { assignmentHash } from '../references/assignment.ts';
import { configName } from '../references/config-key.ts';
import type { ObservedWorkload } from '../workload/observed.ts';
import { excuseOf, failureOf } from '../workload/pod-failure.ts';
import { isBroken, workloadProgress } from '../workload/workload-progress.ts';
import type {
  Activation,
  ActivationRules,
  Command,
  Hold,
  MoveRecord,
  WorkloadPod,
  WorkloadState,
} from './types.ts';
import { sameLineage, wantedReferences } from './wanted-references.ts';

/** Moves a workload to the activation's targets, and writes down the way back. */
export function moveCommand(activation: Activation, workload: WorkloadState): Command {
  const references = wantedReferences(activation, workload);
  const record = {
    activation: activation.id,
    ...wayBack(activation, workload),
    ...health(activation, workload),
  };
  return { do: 'assign', workload: workload.key, references, label: assignmentHash(references), record };
}

/** The way back of a workload that this attempt has moved already is still the one from before the attempt. */
function wayBack(
  activation: Activation,
  workload: WorkloadState,
): Pick<MoveRecord, 'previous' | 'previousLabel'> {
  const { record, assignment, references, current, label } = workload;
  if (record !== undefined && isUnderWay(activation, workload, record)) {
    return { previous: record.previous, previousLabel: record.previousLabel };
  }
  // A manifest that names originals was re-applied, or is new: what was current is its way back.
  if (assignment === 'unassigned') return { previous: current, previousLabel: assignmentHash(current) };
  return { previous: references, previousLabel: label };
}

function health(
  activation: Activation,
  workload: WorkloadState,
): Pick<MoveRecord, 'healthyBefore' | 'healthyTemplate'> {
  const { record, observed, templateHash } = workload;
  if (record !== undefined && isUnderWay(activation, workload, record)) {
    return { healthyBefore: record.healthyBefore, healthyTemplate: record.healthyTemplate };
  }
  const healthy = workloadProgress(observed).done;
  return {
    healthyBefore: healthy || !hasTrouble(workload, activation.rules.maxRestarts),
    healthyTemplate: healthy ? templateHash : record?.healthyTemplate,
  };
}

/** Moved in this attempt and not current yet. When the status was lost, the references tell. */
function isUnderWay(activation: Activation, workload: WorkloadState, record: MoveRecord): boolean {
  if (sameLineage(record.activation, activation.id)) return true;
  const { assignment, references, current } = workload;
  return assignment === 'ours' && [...references].some(([config, object]) => current.get(config) !== object);
}

/** A workload that is just rolling out something else is not in trouble. */
function hasTrouble(workload: WorkloadState, maxRestarts: number): boolean {
  return hasReason(workload, maxRestarts) || (isBroken(workload.observed) && wasWell(workload));
}

/**
 * Whether it lacks pods for no reason that anybody can see: evicted, scaled up, or gone wrong by itself. A moment
 * later it is well, or it is not; moved now, it would not be judged at all.
 */
export function isUnsteady(activation: Activation, workload: WorkloadState): boolean {
  const { rules } = activation;
  // How it was before this attempt is written down.
  if (workload.record !== undefined && isUnderWay(activation, workload, workload.record)) return false;
  return hasTrouble(workload, rules.maxRestarts) && !hasReason(workload, rules.maxRestarts);
}

/** What is remembered of it meanwhile. Only getting further counts: one that goes up and down must not wait for ever. */
export function holdOf({ available }: ObservedWorkload, before: Hold | undefined, now: number): Hold {
  if (before !== undefined && available <= before.available) return before;
  return { since: now, available };
}

/** How long it waits yet: as long as it would have to be well for, to be called healthy. */
export function holdLeftMs({ since }: Hold, { bakeMs }: ActivationRules, now: number): number {
  return since + bakeMs - now;
}

/** Whether something says why it is not well. */
function hasReason(workload: WorkloadState, maxRestarts: number): boolean {
  const { observed, pods, references, current } = workload;
  if (observed.createFailure !== undefined || (observed.stalled && isBroken(observed))) return true;
  // Pods that a rollback has left behind fail with what was rolled back, and say nothing about the workload.
  const counts = (pod: WorkloadPod) =>
    [...pod.references].every(([config, object]) =>
      [references.get(config), current.get(config), configName(config)].includes(object),
    );
  return pods
    .filter(counts)
    .some((pod) => failureOf(pod, false, maxRestarts) !== undefined || excuseOf(pod) !== undefined);
}

/**
 * Whether it ever was as it should be. StatefulSets and DaemonSets do not tell one that has broken from one that
 * still starts, or that a rollback has just moved: what we have seen of it does.
 */
function wasWell({ observed, record, templateHash }: WorkloadState): boolean {
  if (record?.recovering) return false;
  return observed.kind === 'Deployment' || record?.healthyTemplate === templateHash;
}
