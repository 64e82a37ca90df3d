import type { ConfigRolloutStatus } from '../../api/config-rollout.ts';
import { wantedVersion } from '../activation/rollout-state.ts';
import type { ActivationOutcome, VersionRef } from '../activation/types.ts';
import type { StatusInput } from './rollout-status.ts';

type Target = NonNullable<ConfigRolloutStatus['target']>;

/** The attempt in progress. */
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
    // A later edit or request does not change who started this attempt.
    ...withBy(same ? old.by : activation.by),
  };
}

/** The newest 20 attempts that have ended. */
export function history(input: StatusInput, target: ConfigRolloutStatus['target']) {
  const { before, activation, now } = input;
  const old = before?.target;
  const isSame = old !== undefined && old.activation === activation?.activation.id;
  const outcome = activation?.plan.outcome.result;
  const ended: NonNullable<ConfigRolloutStatus['history']> = [];
  // An activation without workloads ends in its first reconciliation.
  const atOnce = isSame || outcome !== 'done' ? undefined : attempt(input);
  if (atOnce !== undefined) ended.push(entry(atOnce, 'Current', now));
  if (old !== undefined && old.activation !== target?.activation)
    ended.push(entry(old, isSame ? resultOf(outcome) : 'Superseded', now));
  const unrecorded = unrecordedRollback(input) ?? unrecordedCurrent(input);
  if (unrecorded !== undefined) ended.push(unrecorded);
  return [...ended, ...(before?.history ?? [])].slice(0, 20);
}

/** A rollback by a controller that was killed before it wrote the status. The rejection of the version records it. */
function unrecordedRollback({ before, activation, state, rejected, now }: StatusInput) {
  const wanted = wantedVersion(state);
  if (rejected === undefined || activation !== undefined || before?.target !== undefined) return undefined;
  if (wanted === undefined || wanted.object === state.current?.object) return undefined;
  const isRecorded = before?.history?.some(
    ({ version, result }) => version === wanted.name && result === 'RolledBack',
  );
  return isRecorded
    ? undefined
    : { version: wanted.name, result: 'RolledBack', startedAt: now, finishedAt: now };
}

/** An activation by a controller that was killed before it wrote the status. The labels of the versions record it. */
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
