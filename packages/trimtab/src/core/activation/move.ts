import { assignmentHash, type ManagedReferences } from '../references/assignment.ts';
import { configName } from '../references/config-key.ts';
import type { ObservedWorkload } from '../workload/observed.ts';
import { failureMode, presentFailure } from '../workload/pod-failure.ts';
import { isHealthy } from '../workload/workload-progress.ts';
import type { Activation, AssignmentRecord, Command, WorkloadPod, WorkloadState } from './types.ts';
import { sameLineage, wantedReferences } from './wanted-references.ts';

/** Moves a workload to the activation's targets, and records the previous references for a rollback. */
export function moveCommand(activation: Activation, workload: WorkloadState): Command {
  const references = wantedReferences(activation, workload);
  const record = {
    activation: activation.id,
    ...previousAssignment(activation, workload),
    ...health(activation, workload, references),
  };
  return {
    do: 'assign',
    workload: workload.key,
    references,
    label: assignmentHash(references),
    record,
    ...(hasPodWithoutAgent(workload) && { recycle: activation.id }),
  };
}

/** Whether a pod cannot be reloaded. It is replaced, and its successor gets the agent at admission. */
export function hasPodWithoutAgent({ isReloaded, pods }: WorkloadState): boolean {
  return isReloaded === true && pods.some(({ agent, terminating }) => agent === undefined && !terminating);
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
  wanted: ManagedReferences,
): Pick<AssignmentRecord, 'failingBefore' | 'noPods' | 'healthyTemplate'> {
  const { record, observed } = workload;
  const noPods = observed.desired === 0;
  if (record !== undefined && wasMovedInLineage(activation, workload, record)) {
    const { failingBefore, healthyTemplate } = record;
    return {
      ...(failingBefore && { failingBefore }),
      ...(record.noPods && noPods && { noPods }),
      healthyTemplate,
    };
  }
  const failingBefore = failuresBefore(workload, wanted, activation.rules.maxRestarts);
  return {
    ...(failingBefore.length > 0 && { failingBefore }),
    ...(noPods && { noPods }),
    healthyTemplate: isHealthyTemplate(observed) ? workload.templateHash : record?.healthyTemplate,
  };
}

/** Whether the newest template has been healthy: it is now, or was rolled out and some of its pods run. */
function isHealthyTemplate(observed: ObservedWorkload): boolean {
  if (isHealthy(observed)) return true;
  // The status of a StatefulSet or DaemonSet reports a new one as rolled out before a pod is Ready.
  return observed.observedGeneration >= observed.generation && observed.rolledOut && observed.ready > 0;
}

function failuresBefore(
  { pods, references, current }: WorkloadState,
  wanted: ManagedReferences,
  maxRestarts: number,
): string[] {
  // Pods left over from a rollback fail with the rejected version and say nothing about the workload itself. Pods that
  // run the wanted versions already, after an undo to them, are the ones to be judged.
  const counts = (pod: WorkloadPod) =>
    [...pod.references].every(([config, object]) =>
      [references.get(config), current.get(config), configName(config)].includes(object),
    ) && [...wanted].some(([config, object]) => pod.references.get(config) !== object);
  const modes = pods.filter(counts).flatMap((pod) => {
    const problem = presentFailure(pod, maxRestarts);
    return problem === undefined ? [] : failureMode(problem);
  });
  return [...new Set(modes)].sort();
}

/**
 * Whether this attempt has already moved the workload. If the status was lost, assigned references to versions that
 * are not current show the same.
 */
function wasMovedInLineage(
  activation: Activation,
  workload: WorkloadState,
  record: AssignmentRecord,
): boolean {
  if (sameLineage(record.activation, activation.id)) return true;
  const { assignment, references, current } = workload;
  return assignment === 'ours' && [...references].some(([config, object]) => current.get(config) !== object);
}
