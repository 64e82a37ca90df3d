import { assignmentHash } from '../references/assignment.ts';
import type { ConfigKey } from '../references/config-key.ts';
import type { WorkloadKey } from '../workload/workload-key.ts';
import { collectActivations, configsInTheWay } from './collect-activations.ts';
import { planActivation } from './plan.ts';
import { planRollback } from './rollback.ts';
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
  /** The version is being rolled back: the activation begins when the rollback has ended. */
  afterRollback: boolean;
  /** Other configs of the activation whose rollout is paused: the activation waits for them. */
  pausedBy: readonly ConfigKey[];
}

/** What the preview is computed from. `target` is the config whose version is requested. */
interface Situation {
  target: RolloutState;
  /** The configs that may share workloads with it. */
  others: readonly RolloutState[];
  workloads: readonly WorkloadState[];
}

const id = 'preview-1';
/** All waves at once: what a wave moves does not depend on the result of another. */
const allWavesOpen = { ...noMemory, openWave: Number.POSITIVE_INFINITY };

/**
 * What the activation of the wanted version of `target` will do, by the functions that plan activations themselves.
 * A pause of the target is not considered: it ends.
 */
export function previewActivation(
  target: RolloutState,
  others: readonly RolloutState[],
  workloads: readonly WorkloadState[],
): Preview {
  const asked = { ...target, rules: { ...target.rules, paused: false } };
  const now = { target: asked, others, workloads };
  const collected = activationOf(now);
  const afterRollback = collected.activation?.phase === 'rolling-back';
  const situation = afterRollback && collected.activation ? rolledBack(now, collected.activation) : now;
  const { activation, waitsFor } = afterRollback ? activationOf(situation) : collected;
  if (activation === undefined)
    return { activation, moves: new Map(), pinned: [], moved: [], waitsFor, afterRollback, pausedBy: [] };
  const members = new Set(activation.members.map(({ config }) => config));
  const its = workloadsOf(activation, situation.workloads);
  const running = { ...activation, rules: { ...activation.rules, paused: false } };
  const plan = planActivation(running, its, allWavesOpen, 0);
  const isPinned = ({ key }: WorkloadState) => plan.workloads.get(key)?.state === 'pinned';
  const pinned = its.filter(isPinned).map(({ key }) => key);
  const moves = new Map(
    plan.commands.flatMap((command) =>
      command.do === 'assign' && !pinned.includes(command.workload) ? [[command.workload, command]] : [],
    ),
  );
  return {
    activation,
    moves,
    pinned,
    moved: its.filter((each) => !moves.has(each.key) && !isPinned(each)).map(({ key }) => key),
    waitsFor,
    afterRollback,
    pausedBy: others
      .filter(({ config, rules }) => members.has(config) && rules.paused)
      .map((each) => each.config),
  };
}

/** The activation of the target, once the activations that it waits for have ended. */
function activationOf({ target, others, workloads }: Situation): Pick<Preview, 'activation' | 'waitsFor'> {
  const uses = new Map(workloads.map(({ key, references }) => [key, [...references.keys()]]));
  const wanted = wantedVersion(target)?.object;
  const isOurs = ({ members }: Activation) =>
    members.some((each: Member) => each.config === target.config && each.target.object === wanted);
  const waitsFor = configsInTheWay(target.config, [target, ...others], uses);
  const free = others.filter(({ config }) => !waitsFor.includes(config));
  const activation = collectActivations([target, ...free], uses, () => id)
    .map((each) => each.activation)
    .find(isOurs);
  return { activation, waitsFor };
}

/** The situation when the activation has been rolled back: nothing but the target is requested anew. */
function rolledBack({ target, others, workloads }: Situation, activation: Activation): Situation {
  const members = new Set(activation.members.map(({ config }) => config));
  const reverts = new Map(
    planRollback(activation, workloadsOf(activation, workloads)).commands.flatMap((command) =>
      command.do === 'revert' ? [[command.workload, command]] : [],
    ),
  );
  return {
    target: { ...target, running: undefined },
    others: others.map((each) => (members.has(each.config) ? { ...each, running: undefined } : each)),
    workloads: workloads.map((each) => {
      const revert = reverts.get(each.key);
      if (revert === undefined) return each;
      const { references, label, record } = revert;
      const assignment = assignmentHash(references) === label ? 'ours' : 'pinned';
      return { ...each, references, label, record, assignment };
    }),
  };
}

function workloadsOf({ members }: Activation, workloads: readonly WorkloadState[]): WorkloadState[] {
  return workloads.filter(({ references }) => members.some(({ config }) => references.has(config)));
}
