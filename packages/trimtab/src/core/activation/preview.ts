import type { ConfigKey } from '../references/config-key.ts';
import type { WorkloadKey } from '../workload/workload-key.ts';
import { collectActivations } from './collect-activations.ts';
import { planActivation } from './plan.ts';
import { type RolloutState, wantedVersion } from './rollout-state.ts';
import { type Activation, type Command, type Member, noMemory, type WorkloadState } from './types.ts';

export interface Preview {
  /** Undefined when no activation begins or changes: the version is current already. */
  activation: Activation | undefined;
  /** The workloads that are assigned versions, in all waves. */
  moves: ReadonlyMap<WorkloadKey, Extract<Command, { do: 'assign' }>>;
  /** Workloads of the activation that are not moved, because they are pinned. */
  pinned: readonly WorkloadKey[];
  /** Workloads of the activation that were assigned these versions already. Their pods are judged. */
  moved: readonly WorkloadKey[];
  /** Configs of activations in progress that share a workload: the activation begins when these have ended. */
  waitsFor: readonly ConfigKey[];
}

const id = 'preview-1';
/** All waves at once: what a wave moves does not depend on the result of another. */
const allWavesOpen = { ...noMemory, openWave: Number.POSITIVE_INFINITY };

/**
 * What the activation of the wanted version of `target` will do, by the functions that plan activations themselves.
 * `others` are the configs that may share workloads with it. A pause is not considered: it ends.
 */
export function previewActivation(
  target: RolloutState,
  others: readonly RolloutState[],
  workloads: readonly WorkloadState[],
): Preview {
  const uses = new Map(workloads.map(({ key, references }) => [key, [...references.keys()]]));
  const asked = { ...target, rules: { ...target.rules, paused: false } };
  const wanted = wantedVersion(asked)?.object;
  const isOurs = ({ members }: Activation) =>
    members.some((each: Member) => each.config === target.config && each.target.object === wanted);
  const among = (rollouts: readonly RolloutState[]) =>
    collectActivations(rollouts, uses, () => id)
      .map(({ activation }) => activation)
      .find(isOurs);
  const now = among([asked, ...others]);
  const running = others.filter((each) => each.running !== undefined);
  const activation = now ?? among([asked, ...others.filter((each) => !running.includes(each))]);
  if (activation === undefined) return { activation, moves: new Map(), pinned: [], moved: [], waitsFor: [] };
  const members = new Set(activation.members.map(({ config }) => config));
  const its = workloads.filter(({ references }) => [...references.keys()].some((key) => members.has(key)));
  const plan = planActivation(activation, its, allWavesOpen, 0);
  const moves = new Map(
    plan.commands.flatMap((command) => (command.do === 'assign' ? [[command.workload, command]] : [])),
  );
  const isPinned = ({ key }: WorkloadState) => plan.workloads.get(key)?.state === 'pinned';
  return {
    activation,
    moves: new Map([...moves].filter(([key]) => !its.some((each) => each.key === key && isPinned(each)))),
    pinned: its.filter(isPinned).map(({ key }) => key),
    moved: its.filter((each) => !moves.has(each.key) && !isPinned(each)).map(({ key }) => key),
    waitsFor: now === undefined ? running.map(({ config }) => config) : [],
  };
}
