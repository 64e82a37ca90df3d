import { annotations } from '../../api/names.ts';
import { abortText } from '../activation/abort.ts';
import { parseRejection } from '../activation/rejection.ts';
import { wantedVersion } from '../activation/rollout-state.ts';
import { decidingWorkload, type VersionRef } from '../activation/types.ts';
import { workloadText } from '../workload/workload-key.ts';
import type { Problem } from './conditions.ts';
import { memberOf, type Phase, type StatusInput } from './status-input.ts';
import { problemText } from './workload-lines.ts';

const wayOut = `Edit the config, or set annotation ${annotations.retry} of the ConfigRollout to a new value to retry`;

export function phaseOf(input: StatusInput, current: VersionRef | undefined): Phase {
  const { activation, denied, state } = input;
  switch (activation?.plan.outcome.result) {
    case 'moving':
      if (activation.activation.phase === 'moving') return 'BeingCurrent';
      return denied === undefined ? 'RollingBack' : 'RollbackFailed';
    case 'failed':
    case 'aborting':
      return 'RollingBack';
    case 'stuck':
    case 'paused':
      return 'Paused';
    case 'parked':
      return 'Parked';
    case 'aborted':
      return 'Aborted';
    case 'rolled back':
      return activation.plan.outcome.aborted ? 'Aborted' : 'Failed';
    case 'done':
      return 'Current';
    case undefined:
      break;
  }
  if (state.rules.paused) return 'Paused';
  if (current === undefined && input.versionProblem !== undefined) return 'Failed';
  const wanted = wantedVersion(state);
  if (wanted === undefined || wanted.object === current?.object) return 'Current';
  if (state.preflight !== undefined) return 'Failed';
  if (input.rejected === undefined) return 'Current';
  return parseRejection(input.rejected)?.aborted ? 'Aborted' : 'Failed';
}

/** What is wrong with the rollout, the most urgent problem first. */
export function problemOf(input: StatusInput): Problem | undefined {
  const { state, activation, versionProblem, rejectedPins, denied } = input;
  if (denied !== undefined)
    return {
      reason: activation?.activation.phase === 'rolling-back' ? 'RollbackFailed' : 'UpdateDenied',
      message: denied,
    };
  const failure = activationProblem(input);
  if (failure !== undefined) return failure;
  if (rejectedPins.length > 0) return { reason: 'PinnedToRejected', message: rejectedPins.join('; ') };
  if (versionProblem !== undefined) return versionProblem;
  if (state.intent.want === 'unknown version') {
    const name = JSON.stringify(state.intent.name);
    return {
      reason: 'UnknownVersion',
      message: `spec.version is ${name}, which does not exist; set it to an existing version, or remove it`,
    };
  }
  if (state.preflight !== undefined) return state.preflight;
  return rejectionProblem(input);
}

function activationProblem(input: StatusInput): Problem | undefined {
  const { activation } = input;
  const deciding = activation && decidingWorkload(activation.plan);
  if (deciding === undefined) return undefined;
  const target = memberOf(input)?.target.name;
  const { workload, problem, failed } = deciding;
  const what = failed ? `Version ${target} failed on` : `Version ${target} cannot be judged on`;
  return {
    reason: problem.reason,
    message: `${what} ${workloadText(workload)}: ${problemText(problem)}${together(input)}`,
  };
}

/** Names the versions that this one is tried with: any of them may be the cause. */
function together({ activation, state }: StatusInput): string {
  const others = (activation?.activation.members ?? []).filter(({ config }) => config !== state.config);
  if (others.length === 0) return '';
  return ` (activated together with ${others.map(({ config, target }) => `${config} ${target.name}`).join(', ')})`;
}

function rejectionProblem(input: StatusInput): Problem | undefined {
  const { state, activation, rejected } = input;
  const outcome = activation?.plan.outcome;
  const wanted = wantedVersion(state);
  const target = memberOf(input)?.target.name;
  if (target !== undefined && outcome?.result === 'aborted') return abortion(target, undefined);
  if (target !== undefined && outcome?.result === 'aborting') return abortion(target, outcome.reason);
  // While a version is tried once more, its old rejection is no problem.
  if (activation?.activation.phase === 'moving') return undefined;
  if (rejected === undefined || wanted === undefined || wanted.object === state.current?.object)
    return undefined;
  const rejection = parseRejection(rejected);
  if (rejection?.aborted) return abortion(wanted.name, rejection.reason);
  const why = rejection?.reason ?? 'its pods failed';
  const sets = rejection?.sets.at(-1);
  const others = [...(sets ?? [])].filter(([config]) => config !== state.config);
  const joint =
    others.length === 0
      ? ''
      : ` together with ${others.map(([config, version]) => `${config} ${version}`).join(', ')}`;
  return {
    reason: 'Rejected',
    message: `Version ${wanted.name} was rolled back${joint}: ${why}. ${wayOut}`,
  };
}

function abortion(version: string, reason: string | undefined): Problem {
  return {
    reason: 'Aborted',
    message: `${abortText(version, reason)}. ${wayOut}`,
  };
}
