import type { ConfigKey } from '../references/config-key.ts';
import type { WorkloadKey } from '../workload/workload-key.ts';
import { type CollectedActivation, collectActivations } from './collect-activations.ts';
import { awaitsItsActivation } from './join-activation.ts';
import { planActivation } from './plan.ts';
import { repairCommands } from './repair.ts';
import type { RolloutState } from './rollout-state.ts';
import {
  type ActivationMemory,
  type Command,
  type Member,
  noMemory,
  type Plan,
  type WorkloadState,
} from './types.ts';

/** Memory of activations, by id of the activation. */
export type GroupMemory = ReadonlyMap<string, ActivationMemory>;

export type PlannedActivation = CollectedActivation & { plan: Plan };

export interface GroupPlan {
  activations: PlannedActivation[];
  /** For workloads that no activation touches. */
  repairs: Command[];
  memory: GroupMemory;
  requeueAfterMs?: number;
}

/** Plans one reconciliation of configs that share workloads. The plan determines all writes of the reconciliation. */
export function planGroup(
  rollouts: readonly RolloutState[],
  workloads: readonly WorkloadState[],
  memory: GroupMemory,
  now: number,
  newId: (members: readonly Member[]) => string,
): GroupPlan {
  const uses = new Map<WorkloadKey, ConfigKey[]>(
    workloads.map(({ key, references }) => [key, [...references.keys()]]),
  );
  const touched = new Set<WorkloadKey>();
  const activations = collectActivations(rollouts, uses, newId).map((collected) => {
    const members = new Set(collected.activation.members.map(({ config }) => config));
    const its = workloads.filter(({ references }) =>
      [...references.keys()].some((config) => members.has(config)),
    );
    for (const { key } of its) touched.add(key);
    // A superseding activation has a new id and thus no memory: its bake time and deadline start again.
    const before = memory.get(collected.activation.id) ?? noMemory;
    return { ...collected, plan: planActivation(collected.activation, its, before, now) };
  });
  const wakes = activations.flatMap(({ plan }) => plan.requeueAfterMs ?? []);
  return {
    activations,
    repairs: workloads
      .filter((each) => !touched.has(each.key) && !awaitsItsActivation(each, rollouts))
      .flatMap(repairCommands),
    memory: new Map(activations.map(({ activation, plan }) => [activation.id, plan.memory])),
    ...(wakes.length > 0 && { requeueAfterMs: Math.min(...wakes) }),
  };
}
