import type { ConfigRolloutStatus } from '../../api/config-rollout.ts';
import { parseRejection } from '../activation/rejection.ts';
import { wantedVersion } from '../activation/rollout-state.ts';
import type { ActivationOutcome, VersionRef } from '../activation/types.ts';
import { problemOf } from './phase.ts';
import { memberOf, type StatusInput } from './status-input.ts';

type Target = NonNullable<ConfigRolloutStatus['target']>;

/** The attempt in progress. */
export function targetOf(
  input: StatusInput,
  activation: NonNullable<StatusInput['activation']>,
  version: VersionRef,
): Target {
  const { before, now } = input;
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
    ...withReason(same ? old.reason : whyStarted(input)),
  };
}

function whyStarted({ state, activation, retry, before }: StatusInput): string {
  const { intent, newRequest } = state;
  if (newRequest && retry !== undefined && retry !== before?.observed?.retry) return 'retry was requested';
  if (intent.want === 'version')
    return intent.because === 'spec' ? 'spec.version was set' : 'the config was edited';
  // A version that goes back to the current one, or that another activation takes along.
  return activation?.supersedes === undefined
    ? 'the config was edited'
    : 'an earlier activation was superseded';
}

/** The newest 20 attempts that have ended. */
export function history(input: StatusInput, target: ConfigRolloutStatus['target']) {
  const { before, activation } = input;
  const old = before?.target;
  const isSame = old !== undefined && old.activation === activation?.activation.id;
  const outcome = activation?.plan.outcome;
  const ended: NonNullable<ConfigRolloutStatus['history']> = [];
  // An activation without workloads ends in its first reconciliation.
  const isAtOnce = !isSame && (outcome?.result === 'done' || outcome?.result === 'aborted');
  const atOnce = isAtOnce ? attempt(input) : undefined;
  if (atOnce !== undefined) ended.push(entry(input, atOnce, resultOf(outcome), whyEnded(input)));
  if (old !== undefined && old.activation !== target?.activation) {
    // A superseding activation leaves out versions that were just rejected.
    const wasRejected = !isSame && activation === undefined && input.rejected !== undefined;
    const result = isSame ? resultOf(outcome) : wasRejected ? rejectedAs(input.rejected) : 'Superseded';
    ended.push(entry(input, old, result, result === 'Superseded' ? undefined : whyEnded(input)));
  }
  const unrecorded = unrecordedRejection(input) ?? unrecordedCurrent(input);
  if (unrecorded !== undefined) ended.push(unrecorded);
  return [...ended, ...(before?.history ?? [])].slice(0, 20);
}

/** Why the version was rolled back or aborted; undefined for one that became current. */
function whyEnded(input: StatusInput): string | undefined {
  const result = input.activation?.plan.outcome.result;
  if (result === 'done') return undefined;
  return parseRejection(input.rejected)?.reason ?? problemOf(input)?.message;
}

/** An end by a controller that was killed before it wrote the status. The rejection of the version records it. */
function unrecordedRejection({ before, activation, state, rejected, now }: StatusInput) {
  const wanted = wantedVersion(state);
  if (rejected === undefined || activation !== undefined || before?.target !== undefined) return undefined;
  if (wanted === undefined || wanted.object === state.current?.object) return undefined;
  const rejection = parseRejection(rejected);
  const result = rejectedAs(rejected);
  if (before?.history?.some((each) => each.version === wanted.name && each.result === result))
    return undefined;
  const { name: version } = wanted;
  const { activation: id, cause } = rejection ?? {};
  return {
    ...{ version, result, startedAt: now, finishedAt: now, ...withReason(rejection?.reason) },
    ...(id !== undefined && { activation: id }),
    ...(cause !== undefined && { cause }),
  };
}

/** An activation by a controller that was killed before it wrote the status. The labels of the versions record it. */
function unrecordedCurrent({ before, activation, state, now }: StatusInput) {
  const { current } = state;
  if (activation !== undefined || before?.target !== undefined || before?.current === undefined)
    return undefined;
  if (current === undefined || current.object === before.current.object) return undefined;
  return { version: current.name, result: 'Current', startedAt: now, finishedAt: now };
}

function rejectedAs(rejected: string | undefined): 'Aborted' | 'RolledBack' {
  return parseRejection(rejected)?.aborted ? 'Aborted' : 'RolledBack';
}

function resultOf(outcome: ActivationOutcome | undefined): string {
  switch (outcome?.result) {
    case 'done':
      return 'Current';
    case 'aborted':
      return 'Aborted';
    case 'rolled back':
      return outcome.aborted ? 'Aborted' : 'RolledBack';
    default:
      return 'Superseded';
  }
}

function entry(
  { before, rejected, now }: StatusInput,
  { version, startedAt, by, reason, activation }: Target,
  result: string,
  why: string | undefined,
) {
  const cause = result === 'RolledBack' ? parseRejection(rejected)?.cause : undefined;
  const previous = before?.current?.version;
  return {
    ...{
      version,
      result,
      startedAt,
      finishedAt: now,
      ...withBy(by),
      ...withReason(why ?? reason),
      activation,
    },
    ...(previous !== undefined && { previous }),
    ...(cause !== undefined && { cause }),
  };
}

function attempt(input: StatusInput): Target | undefined {
  const { activation } = input;
  const member = memberOf(input);
  return activation && member && targetOf(input, activation, member.target);
}

function withBy(by: string | undefined): { by?: string } {
  return by === undefined ? {} : { by };
}

function withReason(reason: string | undefined): { reason?: string } {
  return reason === undefined ? {} : { reason };
}

export function versionFields({ name, object }: VersionRef) {
  return { version: name, object };
}
