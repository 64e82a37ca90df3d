import type { ConfigRolloutStatus } from '../../api/config-rollout.ts';
import { wantedVersion } from '../activation/rollout-state.ts';
import type { ActivationOutcome, VersionRef } from '../activation/types.ts';
import type { StatusInput } from './rollout-status.ts';

type Target = NonNullable<ConfigRolloutStatus['target']>;

/** The attempt that is under way. */
export function targetOf(
  { before, now }: StatusInput,
  activation: NonNullable<StatusInput['activation']>,
  version: VersionRef,
): Target {
  const { id, members } = activation.activation;
  const old = before?.target;
  const same = old?.activation === id && old.object === version.object;
  return {
    ...versionFields(version),
    activation: id,
    members: members.map(({ config }) => config),
    startedAt: same ? old.startedAt : now,
    // Whoever edits or asks later did not begin this one.
    ...withBy(same ? old.by : activation.by),
  };
}

/** The newest 20 attempts; one that is under way is not history yet. */
export function history(input: StatusInput, target: ConfigRolloutStatus['target']) {
  const { before, activation, now } = input;
  const old = before?.target;
  const isSame = old !== undefined && old.activation === activation?.activation.id;
  const outcome = activation?.plan.outcome.result;
  const ended: NonNullable<ConfigRolloutStatus['history']> = [];
  // Where no workload has to take it, it is over at the first look.
  const atOnce = isSame || outcome !== 'done' ? undefined : attempt(input);
  if (atOnce !== undefined) ended.push(entry(atOnce, 'Current', now));
  if (old !== undefined && old.activation !== target?.activation)
    ended.push(entry(old, isSame ? resultOf(outcome) : 'Superseded', now));
  const untold = unrecordedRollback(input) ?? unrecordedCurrent(input);
  if (untold !== undefined) ended.push(untold);
  return [...ended, ...(before?.history ?? [])].slice(0, 20);
}

/** Rolled back by a controller that was killed before any status told of it: the mark on the version still does. */
function unrecordedRollback({ before, activation, state, rejected, now }: StatusInput) {
  const wanted = wantedVersion(state);
  if (rejected === undefined || activation !== undefined || before?.target !== undefined) return undefined;
  if (wanted === undefined || wanted.object === state.current?.object) return undefined;
  const isTold = before?.history?.some(
    ({ version, result }) => version === wanted.name && result === 'RolledBack',
  );
  return isTold ? undefined : { version: wanted.name, result: 'RolledBack', startedAt: now, finishedAt: now };
}

/** Made current by a controller that was killed before any status told of it: the marks on the versions still do. */
function unrecordedCurrent({ before, activation, state, now }: StatusInput) {
  const { current } = state;
  if (activation !== undefined || before?.target !== undefined || before?.current === undefined)
    return undefined;
  if (current === undefined || current.object === before.current.object) return undefined;
  return { version: current.name, result: 'Current', startedAt: now, finishedAt: now };
}

function resultOf(outcome: ActivationOutcome['result'] | undefined): string {
  if (outcome === 'done') return 'Current';
  return outcome === 'rolled back' ? 'RolledBack' : 'Superseded';
}

function entry({ version, startedAt, by, reason }: Target, result: string, finishedAt: string) {
  return { version, result, startedAt, finishedAt, ...withBy(by), ...(reason !== undefined && { reason }) };
}

function attempt(input: StatusInput): Target | undefined {
  const { activation, state } = input;
  const member = activation?.activation.members.find(({ config }) => config === state.config);
  return activation && member && targetOf(input, activation, member.target);
}

function withBy(by: string | undefined): { by?: string } {
  return by === undefined ? {} : { by };
}

export function versionFields({ name, object, contentHash }: VersionRef) {
  return { version: name, object, contentHash };
}
