import type { ConfigKey } from '../references/config-key.ts';
import type { WorkloadKey } from '../workload/workload-key.ts';
import { abortReason } from './abort.ts';
import { connected, groupConfigs, sharedWorkloads, waitsFor } from './group-configs.ts';
import { wasTried } from './rejection.ts';
import { isFresh, type RolloutState, wantedCandidate, wantedVersion } from './rollout-state.ts';
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
  const neighbours = sharedWorkloads(workloads);
  const groups = runningGroups(rollouts, neighbours);
  const ready = readyToBegin(rollouts, groups);
  const sets = groupConfigs({
    ready: untried(ready, neighbours),
    coalescing: new Set(rollouts.filter(({ coalescing }) => coalescing).map(({ config }) => config)),
    moving: movingConfigs(groups),
    workloads,
  }).map((set) => ready.filter(({ config }) => set.includes(config)));
  const taken = new Set<RolloutState[]>();
  const begun = sets.map((set): CollectedActivation => {
    const parked = groups.filter(
      (group) => isParked(group) && !taken.has(group) && shareWorkload(group, set, neighbours),
    );
    for (const group of parked) taken.add(group);
    if (parked.length > 0) return supersede([...parked.flat(), ...set], idOf(parked.flat()));
    const members = set.map(asMember);
    return {
      activation: {
        id: newId(members),
        phase: 'moving',
        members,
        rules: strictest(set, members),
        begins: true,
      },
    };
  });
  return [...groups.filter((group) => !taken.has(group)).map(continueActivation), ...begun];
}

/**
 * The configs in progress whose end the config waits for before its activation begins: those that share a workload with
 * it, or with a config that is activated together with it.
 */
export function configsInTheWay(
  config: ConfigKey,
  rollouts: readonly RolloutState[],
  workloads: ReadonlyMap<WorkloadKey, readonly ConfigKey[]>,
): ConfigKey[] {
  const neighbours = sharedWorkloads(workloads);
  const groups = runningGroups(rollouts, neighbours);
  const ready = untried(readyToBegin(rollouts, groups), neighbours);
  if (!ready.has(config)) return [];
  const set = connected(config, neighbours, (other) => ready.has(other));
  return waitsFor(set, movingConfigs(groups), neighbours);
}

function readyToBegin(
  rollouts: readonly RolloutState[],
  groups: readonly (readonly RolloutState[])[],
): RolloutState[] {
  const running = new Set(groups.flat());
  return rollouts.filter((rollout) => !running.has(rollout) && mayBegin(rollout));
}

/** A parked activation holds no workload. */
function movingConfigs(groups: readonly (readonly RolloutState[])[]): Set<ConfigKey> {
  const moving = groups.filter((group) => !isParked(group)).flat();
  return new Set(moving.map(({ config }) => config));
}

/**
 * Which of the configs that may begin are tried now. Versions that have not failed yet are tried first and without the
 * others, so that no config depends on a bad neighbour. When all of them have failed, they are tried together once: they
 * may belong together.
 */
function untried(
  ready: readonly RolloutState[],
  neighbours: ReadonlyMap<ConfigKey, ReadonlySet<ConfigKey>>,
): Set<ConfigKey> {
  const keys = new Set(ready.map(({ config }) => config));
  const chosen = new Set<ConfigKey>();
  const seen = new Set<ConfigKey>();
  for (const { config } of ready) {
    if (seen.has(config)) continue;
    const group = connected(config, neighbours, (other) => keys.has(other));
    for (const each of group) seen.add(each);
    const its = ready.filter((rollout) => group.includes(rollout.config));
    const fresh = its.filter(isFresh);
    const next = fresh.length > 0 ? fresh : wereTried(its) ? [] : its;
    for (const rollout of next) chosen.add(rollout.config);
  }
  return chosen;
}

function wereTried(rollouts: readonly RolloutState[]): boolean {
  const set = new Map(rollouts.map((rollout) => [rollout.config, wantedVersion(rollout)?.name ?? '']));
  return rollouts.some((rollout) => wasTried(wantedCandidate(rollout)?.rejections ?? [], set));
}

function isParked(group: readonly RolloutState[]): boolean {
  return group.every(({ running }) => running === undefined || running.parked);
}

function shareWorkload(
  one: readonly RolloutState[],
  other: readonly RolloutState[],
  neighbours: ReadonlyMap<ConfigKey, ReadonlySet<ConfigKey>>,
): boolean {
  return one.some(({ config }) => other.some((each) => neighbours.get(config)?.has(each.config)));
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

function continueActivation(group: RolloutState[]): CollectedActivation {
  const id = idOf(group);
  const rollingBack = group.some(({ running }) => running?.rollingBack);
  const changed = group.some(hasNewTarget) && group.every((rollout) => rollout.preflight === undefined);
  if (changed) {
    // Versions that were just rejected go back; only what has not failed yet supersedes a rollback.
    const next = rollingBack ? group.filter((rollout) => wantsToMove(rollout) && isFresh(rollout)) : group;
    if (next.length > 0) return supersede(next, id);
  }
  const hadPods = group.flatMap(({ running }) => running?.hadPods ?? []);
  const edited = group.flatMap(({ config, coalescing }) => (coalescing ? [config] : []));
  const members = group.flatMap((rollout): Member[] =>
    rollout.running === undefined
      ? [asMember(rollout)]
      : [{ config: rollout.config, target: rollout.running.target }],
  );
  const rules = rulesFor(group, members);
  const abort = rollingBack ? abortedBefore(group) : rules.back ? undefined : abortedNow(group, id);
  return {
    activation: {
      id,
      phase: rollingBack ? 'rolling-back' : 'moving',
      members,
      ...rules,
      ...(abort !== undefined && { abort }),
      ...(isParked(group) && { parked: true }),
      ...(hadPods.length > 0 && { hadPods }),
      ...(edited.length > 0 && { edited: new Set(edited) }),
    },
  };
}

/** One member is enough: an activation has one result. A request that names another activation has no effect. */
function abortedNow(group: readonly RolloutState[], id: string): string | undefined {
  const asking = group.find(({ abort }) => abort?.activation === id);
  return asking?.abort && abortReason(asking.abort);
}

function abortedBefore(group: readonly RolloutState[]): string | undefined {
  return group.flatMap(({ running }) => running?.aborted ?? [])[0];
}

/** The activation that supersedes `id`. It continues the attempt with the versions that are wanted now. */
function supersede(group: readonly RolloutState[], id: string): CollectedActivation {
  const hasFresh = group.some((rollout) => wantsToMove(rollout) && isFresh(rollout));
  // A version that has failed goes back, so that one which has not is tried without it.
  const members = group.map((rollout) => ({
    config: rollout.config,
    target:
      rollout.current !== undefined && !isFresh(rollout) && (hasFresh || wentBack(rollout))
        ? rollout.current
        : asMember(rollout).target,
  }));
  return {
    activation: { id: nextInLineage(id), phase: 'moving', members, ...rulesFor(group, members) },
    supersedes: id,
  };
}

function rulesFor(
  group: readonly RolloutState[],
  members: readonly Member[],
): Pick<Activation, 'rules' | 'back'> {
  const rules = strictest(group, members);
  const current = new Set(group.map((rollout) => rollout.current?.object));
  // An activation back to the current versions must not reject them: there is no other version to roll back to.
  const isBack = members.every(({ target }) => current.has(target.object));
  return isBack ? { rules: { ...rules, onFailure: 'Pause' }, back: true } : { rules };
}

function idOf(group: readonly RolloutState[]): string {
  const ids = group.flatMap(({ running }) => running?.activation ?? []);
  return ids.reduce((a, b) => (numberOf(a) >= numberOf(b) ? a : b));
}

function hasNewTarget(rollout: RolloutState): boolean {
  const { coalescing, tooEarly, running } = rollout;
  return (
    !coalescing &&
    !tooEarly &&
    running !== undefined &&
    wantedVersion(rollout)?.object !== running.target.object &&
    (isFresh(rollout) || !wentBack(rollout))
  );
}

/** The activation takes the config back to its current version. */
function wentBack({ running, current }: RolloutState): boolean {
  return running !== undefined && running.target.object === current?.object;
}

function mayBegin(rollout: RolloutState): boolean {
  const { rules, coalescing, tooEarly, preflight } = rollout;
  if (rules.paused || coalescing || tooEarly || preflight !== undefined || !wantsToMove(rollout))
    return false;
  // A person aborted the activation of this version, or took the workloads out of it. Only a person has it tried again.
  return rollout.newRequest || wantedCandidate(rollout)?.aborted !== true;
}

/** Without a current version, the config has no first version yet and there is nothing to move from. */
function wantsToMove(rollout: RolloutState): boolean {
  const version = wantedVersion(rollout);
  return rollout.current !== undefined && version !== undefined && version.object !== rollout.current.object;
}

function asMember(rollout: RolloutState): Member {
  const target = wantedVersion(rollout);
  if (target === undefined) throw new RangeError(`no version is wanted for ${rollout.config}`);
  const { name, object } = target;
  return { config: rollout.config, target: { name, object } };
}

/** Members succeed or fail together, so the strictest rules of all members apply. */
function strictest(rollouts: readonly RolloutState[], members: readonly Member[]): ActivationRules {
  const rules = rollouts.map((rollout) => rollout.rules);
  const isUnbaked = ({ config, unbaked }: RolloutState) =>
    members.some((member) => member.config === config && member.target.name === unbaked);
  return {
    bakeMs: Math.max(...rollouts.map((rollout) => (isUnbaked(rollout) ? 0 : rollout.rules.bakeMs))),
    progressDeadlineMs: Math.min(...rules.map(({ progressDeadlineMs }) => progressDeadlineMs)),
    maxRestarts: Math.min(...rules.map(({ maxRestarts }) => maxRestarts)),
    onFailure: rules.some(({ onFailure }) => onFailure === 'Pause') ? 'Pause' : 'Rollback',
    ackTimeoutMs: Math.min(...rules.map(({ ackTimeoutMs }) => ackTimeoutMs)),
    paused: rules.some(({ paused }) => paused),
  };
}

function numberOf(id: string): number {
  return Number(id.slice(id.lastIndexOf('-') + 1));
}
