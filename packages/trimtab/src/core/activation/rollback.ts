import { assignmentHash } from '../references/assignment.ts';
import type { WorkloadKey } from '../workload/workload-key.ts';
import { repairCommands } from './repair.ts';
import { deleteStuckPods } from './stuck-pods.ts';
import {
  type Activation,
  type Command,
  noMemory,
  type Plan,
  type WorkloadReport,
  type WorkloadState,
} from './types.ts';
import { sameLineage, wasMoved } from './wanted-references.ts';

/**
 * Reverts all workloads that the activation moved to their previous references. A workload that another client
 * changed since then is not reverted, nor is one that a user pinned. The rollback ends when every workload controller has observed the previous
 * template and every agent that had acknowledged the target has acknowledged the previous version.
 */
export function planRollback(activation: Activation, workloads: readonly WorkloadState[]): Plan {
  const reports = new Map<WorkloadKey, WorkloadReport>();
  const commands: Command[] = [];
  for (const workload of workloads) {
    const { key, assignment, pin } = workload;
    if (pin !== undefined) {
      commands.push(...repairCommands(workload));
      reports.set(key, { state: 'pinned' });
      continue;
    }
    if (assignment === 'ours' && wasMoved(activation, workload)) {
      commands.push(revertCommand(activation, workload));
      reports.set(key, { state: 'reverting' });
      continue;
    }
    const stuck = deleteStuckPods(workload, ({ references }) =>
      activation.members.some(({ config, target }) => references.get(config) === target.object),
    );
    commands.push(...stuck);
    const seen = workload.observed.observedGeneration >= workload.observed.generation;
    const isOver = seen && stuck.length === 0 && !hasPodOnTarget(activation, workload);
    reports.set(key, isOver ? { state: 'healthy' } : { state: 'reverting' });
  }
  const over = [...reports.values()].every(({ state }) => state !== 'reverting');
  return {
    commands,
    outcome: over
      ? { result: 'rolled back', ...(activation.abort !== undefined && { aborted: true }) }
      : { result: 'moving' },
    workloads: reports,
    memory: noMemory,
  };
}

/** Reload: agents acknowledge the previous version, too. A pod that refused the target has it already. */
function hasPodOnTarget({ members }: Activation, { isReloaded, pods }: WorkloadState): boolean {
  if (!isReloaded) return false;
  return pods.some(
    ({ agent, terminating, references }) =>
      agent !== undefined &&
      !terminating &&
      members.some(({ config, target }) => references.get(config) === target.object),
  );
}

function revertCommand(activation: Activation, { key, record, current, references }: WorkloadState): Command {
  // Without a record (a tool dropped the annotation), the workload is reverted to the current versions. So is one that joined an edit
  // when another activation was in progress, which has ended since: what was current before that one is not any more.
  const isOutdated = record?.joined === true && !sameLineage(record.activation, activation.id);
  const { previous, previousLabel } =
    record === undefined || isOutdated
      ? { previous: current, previousLabel: assignmentHash(current) }
      : record;
  // A config that joined since then had no version before, and keeps the one that it has.
  const reverted = new Map(
    [...references].map(([config, object]) => [config, previous.get(config) ?? object]),
  );
  const wasOurs = previousLabel === assignmentHash(previous);
  const label = wasOurs ? assignmentHash(reverted) : previousLabel;
  return {
    do: 'revert',
    workload: key,
    references: reverted,
    label,
    // What it was like before the first move stays known: a fix may supersede this rollback.
    record: {
      ...record,
      activation: activation.id,
      previous: reverted,
      previousLabel: label,
      healthyTemplate: record?.healthyTemplate,
    },
  };
}
