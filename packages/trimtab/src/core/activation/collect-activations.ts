import type { ConfigKey } from '../references/config-key.ts';
import type { WorkloadKey } from '../workload/workload-key.ts';
import { groupConfigs, sharedWorkloads } from './group-configs.ts';
import { isBlocked } from './rejection.ts';
import { type RolloutState, wantedVersion } from './rollout-state.ts';
import type { Activation, ActivationRules, Member } from './types.ts';
import { nextInLineage, sameLineage } from './wanted-references.ts';

export interface CollectedActivation {
  activation: Activation;
  /** The id of the activation that this one supersedes. */
  supersedes?: string;
}

/**
 * Returns the activations of a namespace: those in progress, superseded where their targets changed, and those that
 * start now. `newId` returns the id of an activation that starts.
 */
export function collectActivations(
  rollouts: readonly RolloutState[],
  workloads: ReadonlyMap<WorkloadKey, readonly ConfigKey[]>,
  newId: (members: readonly Member[]) => string,
): CollectedActivation[] {
  const groups = runningGroups(rollouts, sharedWorkloads(workloads));
  const moving = new Set(groups.flat().map(({ config }) => config));
  const wanted = new Map(rollouts.map((rollout) => [rollout.config, wantedVersion(rollout)?.contentHash]));
  const ready = rollouts.filter((rollout) => !moving.has(rollout.config) && mayBegin(rollout, wanted));
  const sets = groupConfigs({
    ready: new Set(ready.map(({ config }) => config)),
    coalescing: new Set(rollouts.filter(({ coalescing }) => coalescing).map(({ config }) => config)),
    moving,
    workloads,
  });
  const begun = sets.map((set): CollectedActivation => {
    const its = ready.filter(({ config }) => set.includes(config));
    const members = its.map(asMember);
    return { activation: { id: newId(members), phase: 'moving', members, rules: strictest(its) } };
  });
  return [...groups.map((group) => continueActivation(group, wanted)), ...begun];
}

/**
 * Groups rollouts by the lineage of their activation, including listed members that did not start. Activations that
 * come to share a workload are merged; otherwise each would undo the other's moves forever.
 */
function runningGroups(
  rollouts: readonly RolloutState[],
  neighbours: ReadonlyMap<ConfigKey, ReadonlySet<ConfigKey>>,
): RolloutState[][] {
  const groups: RolloutState[][] = [];
  const taken = new Set<RolloutState>();
  for (const rollout of rollouts) {
    const { running } = rollout;
    if (running === undefined || taken.has(rollout)) continue;
    const group = new Set([rollout]);
    // The iteration includes members that are added to the Set during the iteration.
    for (const member of group) {
      for (const other of rollouts) if (belongTogether(member, other, neighbours)) group.add(other);
    }
    const listed = new Set([...group].flatMap((member) => member.running?.members ?? []));
    const late = rollouts.filter(
      (other) => other.running === undefined && listed.has(other.config) && wantsToMove(other),
    );
    const all = [...group, ...late.filter((other) => !taken.has(other))];
    for (const member of all) taken.add(member);
    groups.push(all);
  }
  return groups;
}

function belongTogether(
  one: RolloutState,
  other: RolloutState,
  neighbours: ReadonlyMap<ConfigKey, ReadonlySet<ConfigKey>>,
): boolean {
  if (one.running === undefined || other.running === undefined) return false;
  if (sameLineage(one.running.activation, other.running.activation)) return true;
  return neighbours.get(one.config)?.has(other.config) ?? false;
}

function continueActivation(
  group: RolloutState[],
  wanted: ReadonlyMap<ConfigKey, string | undefined>,
): CollectedActivation {
  const ids = group.flatMap(({ running }) => running?.activation ?? []);
  const id = ids.reduce((a, b) => (numberOf(a) >= numberOf(b) ? a : b));
  const rollingBack = group.some(({ running }) => running?.rollingBack);
  const changed = group.some(hasNewTarget) && group.every((rollout) => rollout.preflight === undefined);
  const worthIt = !rollingBack || group.some((rollout) => wantsToMove(rollout) && !blocked(rollout, wanted));
  if (changed && worthIt) {
    const rules = strictest(group);
    const members = group.map(asMember);
    // An activation back to the current versions must not reject them: there is no other version to roll back to.
    const back = group.every((rollout) => wantedVersion(rollout)?.object === rollout.current?.object);
    const activation: Activation = {
      id: nextInLineage(id),
      phase: 'moving',
      members,
      rules: back ? { ...rules, onFailure: 'Pause' } : rules,
    };
    return { activation, supersedes: id };
  }
  const members = group.flatMap((rollout): Member[] =>
    rollout.running === undefined
      ? [asMember(rollout)]
      : [{ config: rollout.config, target: rollout.running.target }],
  );
  return {
    activation: { id, phase: rollingBack ? 'rolling-back' : 'moving', members, rules: strictest(group) },
  };
}

function hasNewTarget(rollout: RolloutState): boolean {
  const { coalescing, running } = rollout;
  return !coalescing && running !== undefined && wantedVersion(rollout)?.object !== running.target.object;
}

function mayBegin(rollout: RolloutState, wanted: ReadonlyMap<ConfigKey, string | undefined>): boolean {
  if (rollout.rules.paused || rollout.coalescing || rollout.preflight !== undefined) return false;
  if (!wantsToMove(rollout)) return false;
  return rollout.newRequest || !blocked(rollout, wanted);
}

/** Without a current version, the config has no first version yet and there is nothing to move from. */
function wantsToMove(rollout: RolloutState): boolean {
  const version = wantedVersion(rollout);
  return rollout.current !== undefined && version !== undefined && version.object !== rollout.current.object;
}

function blocked(rollout: RolloutState, wanted: ReadonlyMap<ConfigKey, string | undefined>): boolean {
  const target = wantedVersion(rollout);
  const version = rollout.versions.find(({ object }) => object === target?.object);
  return isBlocked(version?.rejections ?? [], (config) => wanted.get(config));
}

function asMember(rollout: RolloutState): Member {
  const target = wantedVersion(rollout);
  if (target === undefined) throw new RangeError(`no version is wanted for ${rollout.config}`);
  const { name, object, contentHash } = target;
  return { config: rollout.config, target: { name, object, contentHash } };
}

/** Members succeed or fail together, so the strictest rules of all members apply. */
function strictest(rollouts: readonly RolloutState[]): ActivationRules {
  const rules = rollouts.map((rollout) => rollout.rules);
  return {
    bakeMs: Math.max(...rules.map(({ bakeMs }) => bakeMs)),
    progressDeadlineMs: Math.min(...rules.map(({ progressDeadlineMs }) => progressDeadlineMs)),
    maxRestarts: Math.min(...rules.map(({ maxRestarts }) => maxRestarts)),
    onFailure: rules.some(({ onFailure }) => onFailure === 'Pause') ? 'Pause' : 'Rollback',
    paused: rules.some(({ paused }) => paused),
  };
}

function numberOf(id: string): number {
  return Number(id.slice(id.lastIndexOf('-') + 1));
}
