import type { ConfigRolloutStatus } from '../../api/config-rollout.ts';
import type { CollectedActivation } from '../activation/collect-activations.ts';
import { parseRejections } from '../activation/rejection.ts';
import { type RolloutState, wantedVersion } from '../activation/rollout-state.ts';
import type { Plan, VersionRef, WorkloadState } from '../activation/types.ts';
import { history, targetOf, versionFields } from './attempts.ts';
import { type Finding, mergeConditions } from './conditions.ts';
import { problemText, workloadLine } from './workload-lines.ts';

export interface StatusInput {
  before: ConfigRolloutStatus | undefined;
  generation: number;
  state: RolloutState;
  liveHash: string | undefined;
  specVersion: string | undefined;
  /** The id of the last time a person asked for it. */
  requestId: string | undefined;
  /** The activation that this config is a member of, as it was planned and carried out. */
  activation: (CollectedActivation & { plan: Plan; by: string | undefined }) | undefined;
  /** Its managed workloads. */
  workloads: readonly WorkloadState[];
  /** Why there is no live content, or why it can't become a version. */
  versionProblem: { reason: string; message: string } | undefined;
  /** The annotation of the wanted version, when it was rejected. */
  rejected: string | undefined;
  /** Workloads whose opt-in vanished. */
  optInLost: readonly string[];
  /** Workloads that somebody brought onto content which was rolled back: what to tell them. */
  rejectedPins: readonly string[];
  /** A revert was denied: by whom and why. */
  denied: string | undefined;
  now: string;
}

type Phase = NonNullable<ConfigRolloutStatus['phase']>;

/** The whole status of a rollout, made anew from what there is; only times and history come from before. */
export function rolloutStatus(input: StatusInput): ConfigRolloutStatus {
  const { state, activation, before, now } = input;
  const done = activation?.plan.outcome.result === 'done';
  const over = done || activation?.plan.outcome.result === 'rolled back';
  const member = activation?.activation.members.find(({ config }) => config === state.config);
  const current = done && member !== undefined ? member.target : state.current;
  const lines = input.workloads.map((workload) =>
    workloadLine(workload, over ? undefined : activation?.plan.workloads.get(workload.key)),
  );
  const phase = phaseOf(input, current);
  const total = lines.reduce((sum, line) => sum + line.total, 0);
  const updated = lines.reduce((sum, line) => sum + line.updated, 0);
  const target =
    activation === undefined || over || member === undefined
      ? undefined
      : targetOf(input, activation, member.target);
  return {
    observed: observed(input),
    ...(current !== undefined && {
      current: { ...versionFields(current), since: sinceOf(before, current, now) },
    }),
    ...(target !== undefined && { target }),
    phase,
    workloads: lines,
    updated: `${updated}/${total}`,
    history: history(input, target),
    conditions: mergeConditions(before?.conditions, findings(input, phase), input.generation, now),
  };
}

/** What was looked at. A wish that could not be heard yet is not looked at, or it would be forgotten. */
function observed({ before, generation, liveHash, specVersion, requestId, state, activation }: StatusInput) {
  const isDeferred = state.intent.want === 'wait for version' || state.coalescing;
  // Who asks while the same version is still being rolled back has to be heard when that is over.
  const isBusy =
    activation?.activation.phase === 'rolling-back' || activation?.plan.outcome.result === 'failed';
  const waiting =
    state.newRequest &&
    (activation === undefined || isBusy) &&
    wantedVersion(state)?.object !== state.current?.object;
  const observedRequest = waiting ? before?.observed?.requestId : requestId;
  const hash = isDeferred ? before?.observed?.liveHash : liveHash;
  const version = waiting ? before?.observed?.specVersion : specVersion;
  return {
    generation,
    ...(hash !== undefined && { liveHash: hash }),
    ...(version !== undefined && { specVersion: version }),
    ...(observedRequest !== undefined && { requestId: observedRequest }),
  };
}

function phaseOf(input: StatusInput, current: VersionRef | undefined): Phase {
  const { activation, denied, state } = input;
  switch (activation?.plan.outcome.result) {
    case 'moving':
      if (activation.activation.phase === 'moving') return 'BeingCurrent';
      return denied === undefined ? 'RollingBack' : 'RollbackFailed';
    case 'failed':
      return 'RollingBack';
    case 'stuck':
    case 'paused':
      return 'Paused';
    case 'rolled back':
      return 'Failed';
    case 'done':
      return 'Current';
    case undefined:
      break;
  }
  if (state.rules.paused) return 'Paused';
  if (current === undefined && input.versionProblem !== undefined) return 'Failed';
  const wanted = wantedVersion(state);
  const refused = state.preflight !== undefined || input.rejected !== undefined;
  return wanted !== undefined && wanted.object !== current?.object && refused ? 'Failed' : 'Current';
}

function sinceOf(before: ConfigRolloutStatus | undefined, current: VersionRef, now: string): string {
  return before?.current?.object === current.object ? before.current.since : now;
}

function findings(input: StatusInput, phase: Phase): Finding[] {
  const { optInLost } = input;
  const degraded = degradation(input);
  const moving = phase === 'BeingCurrent' || phase === 'RollingBack';
  const lost = optInLost.join(', ');
  return [
    finding(
      'Ready',
      phase === 'Current' && degraded === undefined,
      phase,
      degraded?.message ?? phaseMessage(input, phase),
    ),
    finding('Progressing', moving, phase, phaseMessage(input, phase)),
    degraded === undefined
      ? finding('Degraded', false, 'AsExpected', 'nothing is wrong')
      : finding('Degraded', true, degraded.reason, degraded.message),
    ...(optInLost.length === 0
      ? []
      : [
          finding(
            'OptInLost',
            true,
            'AnnotationGone',
            `${lost} no longer opts in, and stays managed; set trimtab.dev/manage: "false" to end that, or put the opt-in back`,
          ),
        ]),
  ];
}

function degradation({
  activation,
  state,
  versionProblem,
  rejected,
  rejectedPins,
  denied,
}: StatusInput): { reason: string; message: string } | undefined {
  const outcome = activation?.plan.outcome;
  if (denied !== undefined) return { reason: 'RollbackFailed', message: denied };
  if (outcome?.result === 'failed' || outcome?.result === 'stuck') {
    const target = activation?.activation.members.find(({ config }) => config === state.config)?.target.name;
    return {
      reason: outcome.problem.reason,
      message: `version ${target}: ${outcome.workload}: ${problemText(outcome.problem)}`,
    };
  }
  if (rejectedPins.length > 0) return { reason: 'PinnedToRejected', message: rejectedPins.join('; ') };
  if (versionProblem !== undefined) return versionProblem;
  if (state.intent.want === 'unknown version') {
    return {
      reason: 'UnknownVersion',
      message: `spec.version names ${JSON.stringify(state.intent.name)}, and there is no such version`,
    };
  }
  if (state.preflight !== undefined) return { reason: 'KeyMissing', message: state.preflight };
  const wanted = wantedVersion(state);
  if (rejected !== undefined && wanted?.object !== state.current?.object) {
    const reason = parseRejections(rejected)?.reason ?? 'it failed before';
    return {
      reason: 'Rejected',
      message: `version ${wanted?.name} was rolled back: ${reason}. Edit the config, or ask for the version again`,
    };
  }
  return undefined;
}

function phaseMessage({ state, activation }: StatusInput, phase: Phase): string {
  const target = activation?.activation.members.find(({ config }) => config === state.config)?.target.name;
  if (target !== undefined)
    return phase === 'Current' ? `version ${target} is current` : `version ${target} is ${phase}`;
  return state.current === undefined ? 'there is no version yet' : `version ${state.current.name} is current`;
}

function finding(type: string, status: boolean, reason: string, message: string): Finding {
  return { type, status: status ? 'True' : 'False', reason, message };
}
