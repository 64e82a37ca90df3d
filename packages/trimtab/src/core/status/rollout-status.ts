import type { ConfigRolloutStatus } from '../../api/config-rollout.ts';
import type { Reason } from '../../api/reasons/reasons.ts';
import type { CollectedActivation } from '../activation/collect-activations.ts';
import { parseRejections } from '../activation/rejection.ts';
import { type RolloutState, wantedVersion } from '../activation/rollout-state.ts';
import { decidingWorkload, type Plan, type VersionRef, type WorkloadState } from '../activation/types.ts';
import { workloadText } from '../workload/workload-key.ts';
import { history, targetOf, versionFields } from './attempts.ts';
import { type Finding, mergeConditions, type Problem } from './conditions.ts';
import { problemText, type WorkloadLine, workloadLine } from './workload-lines.ts';

export interface StatusInput {
  before: ConfigRolloutStatus | undefined;
  generation: number;
  state: RolloutState;
  liveHash: string | undefined;
  specVersion: string | undefined;
  /** The id of the last request for `spec.version`. */
  requestId: string | undefined;
  /** The activation that this config belongs to, as planned and applied. */
  activation: (CollectedActivation & { plan: Plan; by: string | undefined }) | undefined;
  /** Its managed workloads. */
  workloads: readonly WorkloadState[];
  /** Why there is no live content, or why the live content cannot become a version. */
  versionProblem: Problem | undefined;
  /** The rejection annotation of the wanted version. */
  rejected: string | undefined;
  /** Workloads whose opt-in is gone. */
  optInLost: readonly string[];
  /** Messages about workloads that were set to a version which was rolled back. */
  rejectedPins: readonly string[];
  /** Why the API server denied a revert. */
  denied: string | undefined;
  now: string;
}

type Phase = NonNullable<ConfigRolloutStatus['phase']>;

/** Computes the status of a rollout from observed state; only times and history come from the previous status. */
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
    conditions: mergeConditions(before?.conditions, findings(input, phase, lines), input.generation, now),
  };
}

/** The input that this status takes into account. A deferred edit or request is omitted, so it is not lost. */
function observed({ before, generation, liveHash, specVersion, requestId, state, activation }: StatusInput) {
  const isDeferred = state.intent.want === 'wait for version' || state.coalescing;
  // A request for the version that is being rolled back takes effect after the rollback.
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

function findings(input: StatusInput, phase: Phase, lines: readonly WorkloadLine[]): Finding[] {
  const { optInLost } = input;
  const problem = problemOf(input);
  const moving = phase === 'BeingCurrent' || phase === 'RollingBack';
  const progress = phaseMessage(input, phase, lines);
  return [
    finding('Ready', phase === 'Current' && problem === undefined, phase, problem?.message ?? progress),
    finding('Progressing', moving, phase, progress),
    problem === undefined
      ? finding('Degraded', false, 'AsExpected', 'No problem is known')
      : finding('Degraded', true, problem.reason, problem.message),
    ...(optInLost.length === 0
      ? []
      : [finding('OptInLost', true, 'AnnotationGone', optInLostText(optInLost))]),
  ];
}

function optInLostText(keys: readonly string[]): string {
  const workloads = keys.map(workloadText).join(', ');
  return `The opt-in of ${workloads} is gone; management continues. Restore the opt-in, or set trimtab.dev/manage: "false" to end management`;
}

function problemOf(input: StatusInput): Problem | undefined {
  const { state, versionProblem, rejected, rejectedPins, denied } = input;
  if (denied !== undefined) return { reason: 'RollbackFailed', message: denied };
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
  const wanted = wantedVersion(state);
  if (rejected === undefined || wanted?.object === state.current?.object) return undefined;
  const why = parseRejections(rejected)?.reason ?? 'its pods failed';
  return {
    reason: 'Rejected',
    message: `Version ${wanted?.name} was rolled back: ${why}. Edit the config, or request the version again`,
  };
}

function activationProblem({ activation, state }: StatusInput): Problem | undefined {
  const deciding = activation && decidingWorkload(activation.plan);
  if (deciding === undefined) return undefined;
  const target = activation?.activation.members.find(({ config }) => config === state.config)?.target.name;
  const { workload, problem, failed } = deciding;
  const what = failed ? `Version ${target} failed on` : `Version ${target} cannot be judged on`;
  return {
    reason: problem.reason,
    message: `${what} ${workloadText(workload)}: ${problemText(problem)}`,
  };
}

function phaseMessage(
  { state, activation }: StatusInput,
  phase: Phase,
  lines: readonly WorkloadLine[],
): string {
  const target = activation?.activation.members.find(({ config }) => config === state.config)?.target.name;
  if (target === undefined)
    return state.current === undefined ? 'No version exists yet' : `Version ${state.current.name} is current`;
  const count = (isDone: (line: WorkloadLine) => boolean) =>
    `${lines.filter(isDone).length} of ${lines.length} workloads`;
  switch (phase) {
    case 'BeingCurrent':
      return `Rolling out version ${target}: ${count(isUpdated)} updated`;
    case 'RollingBack':
    case 'RollbackFailed':
      return `Rolling back version ${target}: ${count(({ state }) => state !== 'Reverting')} reverted`;
    case 'Paused':
      return `Rollout of version ${target} is paused: ${count(isUpdated)} updated`;
    case 'Failed':
      return `Version ${target} was rolled back`;
    case 'Current':
      return `Version ${target} is current`;
  }
}

function isUpdated({ state, updated, total }: WorkloadLine): boolean {
  return state !== 'Pending' && updated >= total;
}

function finding(type: string, status: boolean, reason: Reason, message: string): Finding {
  return { type, status: status ? 'True' : 'False', reason, message };
}
