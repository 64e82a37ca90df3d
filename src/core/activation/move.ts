import { assignmentHash } from '../assignment.ts';
import { excuseOf, failureOf } from '../pod-failure.ts';
import { isBroken, workloadProgress } from '../workload-progress.ts';
import type { Activation, Command, MoveRecord, WorkloadState } from './types.ts';
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
function hasTrouble({ observed, pods }: WorkloadState, maxRestarts: number): boolean {
  if (isBroken(observed) || observed.createFailure !== undefined) return true;
  return pods.some((pod) => failureOf(pod, false, maxRestarts) !== undefined || excuseOf(pod) !== undefined);
}
