import type { ManagedReferences } from '../references/assignment.ts';
import type { ConfigKey } from '../references/config-key.ts';
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

interface JoinInput {
  rollouts: readonly RolloutState[];
  workloads: readonly WorkloadState[];
  /** The versions that hold the content which was read from each config: the reason to join. */
  edits: ReadonlyMap<ConfigKey, ReadonlySet<string>>;
  /** The id of an activation that begins. */
  newId: string;
  now: number;
}

/**
 * Returns what a workload is assigned by the activation that begins, or continues, with the versions that are wanted now;
 * undefined when no activation moves it yet, or when it would also move the workload for another reason than an edit. A workload and a config that change together then need one rolling update: the
 * change of the owner and the move are one write. The controller begins the same activation a moment later, finds the
 * workload moved, and judges it.
 */
export function joinActivation(
  key: WorkloadKey,
  { rollouts, workloads, edits, newId, now }: JoinInput,
): JoinedActivation | undefined {
  const uses = new Map(workloads.map(({ key: each, references }) => [each, [...references.keys()]]));
  for (const { activation, supersedes } of collectActivations(rollouts, uses, () => newId)) {
    if (activation.phase !== 'moving' || activation.abort !== undefined || activation.rules.paused) continue;
    const members = new Set(activation.members.map(({ config }) => config));
    const its = workloads.filter(({ references }) =>
      [...references.keys()].some((config) => members.has(config)),
    );
    const plan = planActivation(activation, its, noMemory, now);
    // A pinned workload may be repaired, which is no move.
    if (plan.workloads.get(key)?.state === 'pinned') return undefined;
    for (const command of plan.commands) {
      if (command.do !== 'assign' || command.workload !== key) continue;
      const { references, record } = command;
      const own = its.find((each) => each.key === key);
      const superseded = rollouts.filter(({ config }) => members.has(config));
      if (supersedes !== undefined && !superseded.every(mayBeOvertaken)) return undefined;
      return own && movesEdits(references, own, edits)
        ? { references, record: { ...record, joined: true } }
        : undefined;
    }
  }
  return undefined;
}

/** An activation that rolls back or is parked has nothing to do with the owner's change, and its end decides what follows. */
function mayBeOvertaken({ running }: RolloutState): boolean {
  return running === undefined || (!running.rollingBack && !running.parked);
}

/** Each reference that moves needs its own reason: other configs of the activation may be requested, unchecked or not in use. */
function movesEdits(
  joined: ManagedReferences,
  { references, current }: WorkloadState,
  edits: JoinInput['edits'],
): boolean {
  const moved = [...joined].filter(
    ([config, object]) => object !== references.get(config) && object !== current.get(config),
  );
  return moved.length > 0 && moved.every(([config, object]) => edits.get(config)?.has(object));
}

/**
 * Whether admission has moved the workload together with a config whose activation begins when the coalescing window is over.
 * Until then the workload must not be repaired: that would take it back. Another edit in the window makes another version
 * wanted, which the workload gets from the activation itself.
 */
export function awaitsItsActivation(
  { record, assignment, references }: WorkloadState,
  rollouts: readonly RolloutState[],
): boolean {
  if (record?.joined !== true || assignment !== 'ours') return false;
  if (!rollouts.some(({ coalescing }) => coalescing)) return false;
  return rollouts.some((rollout) => {
    const { config, current, intent } = rollout;
    const object = references.get(config);
    if (object === undefined || object === current?.object) return false;
    return intent.want === 'wait for version' || wantedVersion(rollout)?.object !== current?.object;
  });
}
