import type { ManagedReferences } from '../references/assignment.ts';
import type { WorkloadKey } from '../workload/workload-key.ts';
import { collectActivations } from './collect-activations.ts';
import { planActivation } from './plan.ts';
import { type RolloutState, wantedVersion } from './rollout-state.ts';
import { type AssignmentRecord, noMemory, type WorkloadState } from './types.ts';

/** What admission assigns to a workload that its owner changes together with its configs. */
export interface JoinedActivation {
  references: ManagedReferences;
  record: AssignmentRecord;
}

/**
 * Returns what a workload is assigned by the activation that begins, or continues, with the versions that are wanted now;
 * undefined when no activation moves it yet. A workload and a config that change together then need one rolling update: the
 * change of the owner and the move are one write. The controller begins the same activation a moment later, finds the
 * workload moved, and judges it.
 */
export function joinActivation(
  key: WorkloadKey,
  rollouts: readonly RolloutState[],
  workloads: readonly WorkloadState[],
  newId: string,
  now: number,
): JoinedActivation | undefined {
  const uses = new Map(workloads.map(({ key: each, references }) => [each, [...references.keys()]]));
  for (const { activation } of collectActivations(rollouts, uses, () => newId)) {
    if (activation.phase !== 'moving' || activation.abort !== undefined || activation.rules.paused) continue;
    const members = new Set(activation.members.map(({ config }) => config));
    const its = workloads.filter(({ references }) =>
      [...references.keys()].some((config) => members.has(config)),
    );
    const plan = planActivation(activation, its, noMemory, now);
    // A pinned workload may be repaired, which is no move.
    if (plan.workloads.get(key)?.state === 'pinned') return undefined;
    for (const command of plan.commands)
      if (command.do === 'assign' && command.workload === key)
        return { references: command.references, record: { ...command.record, joined: true } };
  }
  return undefined;
}

/**
 * Whether admission has moved the workload to the wanted version of a config whose activation begins when the coalescing
 * window is over. Until then the workload must not be repaired: that would take it back.
 */
export function awaitsItsActivation(
  { record, assignment, references }: WorkloadState,
  rollouts: readonly RolloutState[],
): boolean {
  if (record?.joined !== true || assignment !== 'ours') return false;
  if (!rollouts.some(({ coalescing }) => coalescing)) return false;
  return rollouts.some((rollout) => {
    const object = references.get(rollout.config);
    return (
      object !== undefined && object !== rollout.current?.object && object === wantedVersion(rollout)?.object
    );
  });
}
