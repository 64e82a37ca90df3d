import { assignmentHash } from '../references/assignment.ts';
import { workloadProgress } from '../workload/workload-progress.ts';
import { hasProblem, wasMovedInLineage } from './settle-before-move.ts';
import type { Activation, AssignmentRecord, Command, WorkloadState } from './types.ts';
import { wantedReferences } from './wanted-references.ts';

/** Moves a workload to the activation's targets, and records the previous references for a rollback. */
export function moveCommand(activation: Activation, workload: WorkloadState): Command {
  const references = wantedReferences(activation, workload);
  const record = {
    activation: activation.id,
    ...previousAssignment(activation, workload),
    ...health(activation, workload),
  };
  return { do: 'assign', workload: workload.key, references, label: assignmentHash(references), record };
}

/** The references that a rollback restores: those from before this attempt, even if it has moved the workload twice. */
function previousAssignment(
  activation: Activation,
  workload: WorkloadState,
): Pick<AssignmentRecord, 'previous' | 'previousLabel'> {
  const { record, assignment, references, current, label } = workload;
  if (record !== undefined && wasMovedInLineage(activation, workload, record)) {
    return { previous: record.previous, previousLabel: record.previousLabel };
  }
  // A manifest that names configs themselves was re-applied or is new: a rollback restores the current versions.
  if (assignment === 'unassigned') return { previous: current, previousLabel: assignmentHash(current) };
  return { previous: references, previousLabel: label };
}

function health(
  activation: Activation,
  workload: WorkloadState,
): Pick<AssignmentRecord, 'healthyBefore' | 'healthyTemplate'> {
  const { record, observed, templateHash } = workload;
  if (record !== undefined && wasMovedInLineage(activation, workload, record)) {
    return { healthyBefore: record.healthyBefore, healthyTemplate: record.healthyTemplate };
  }
  const healthy = workloadProgress(observed).done;
  return {
    healthyBefore: healthy || !hasProblem(workload, activation.rules.maxRestarts),
    healthyTemplate: healthy ? templateHash : record?.healthyTemplate,
  };
}
