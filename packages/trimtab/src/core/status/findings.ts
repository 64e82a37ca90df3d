import type { Reason } from '../../api/reasons/reasons.ts';
import { type RolloutState, wantedVersion } from '../activation/rollout-state.ts';
import type { WorkloadReport } from '../activation/types.ts';
import { readConfigKey } from '../references/config-key.ts';
import { workloadText } from '../workload/workload-key.ts';
import type { Finding } from './conditions.ts';
import { problemOf } from './phase.ts';
import { currentOf, memberOf, type Phase, type StatusInput } from './status-input.ts';
import { isHeld, type WorkloadLine } from './workload-lines.ts';

/** The conditions of a rollout. `Reconciling` and `Stalled` are those that kstatus, Helm and Flux read. */
export function findings(input: StatusInput, phase: Phase, lines: readonly WorkloadLine[]): Finding[] {
  const problem = problemOf(input);
  const progress = phaseMessage(input, phase, lines);
  const wait = waitOf(input, phase, lines);
  const isMoving = phase === 'BeingCurrent' || phase === 'RollingBack';
  const rests = isAtRest(input, phase);
  const isReady = rests && problem === undefined && wait === undefined;
  const needsPerson = problem !== undefined || !rests || wait?.isForPerson === true;
  const isStalled = !isMoving && needsPerson;
  const calm = wait ?? {
    reason: phase === 'Current' && isReady && isWithoutPods(input, lines) ? ('NoPods' as const) : phase,
    message: progress,
  };
  // The wait of a parked version says more than the problem that it may come from.
  const ready = phase === 'Parked' ? calm : (problem ?? calm);
  const stalled = problem ?? calm;
  return [
    finding('Ready', isReady, ready.reason, ready.message),
    finding('Reconciling', !isReady && !isStalled, calm.reason, calm.message),
    isStalled
      ? finding('Stalled', true, stalled.reason, stalled.message)
      : finding('Stalled', false, 'AsExpected', 'The rollout does not wait for a person'),
    finding('Progressing', isMoving, isMoving ? phase : (wait?.reason ?? phase), progress),
    problem === undefined
      ? finding('Degraded', false, 'AsExpected', 'No problem is known')
      : finding('Degraded', true, problem.reason, problem.message),
    ...warnings(input),
  ];
}

/** Conditions that are present only while they are True, and do not keep the rollout from being Ready. */
function warnings(input: StatusInput): Finding[] {
  const { optInLost, optOutWaits, reloadUnavailable, unmanaged, keyWarnings, invalidPins, environment } =
    input;
  const { coApplied, admissionUnavailable, notRewritten, invalidVersions } = input;
  const { followProblem } = input;
  const found: Finding[] = [];
  if (optInLost.length > 0)
    found.push(finding('OptInLost', true, 'AnnotationGone', optInLostText(optInLost)));
  if (optOutWaits.length > 0) found.push(finding('OptOutWaits', true, 'OptOutWaits', optOutWaits.join('; ')));
  if (reloadUnavailable.length > 0)
    found.push(finding('ReloadUnavailable', true, 'NoAgent', reloadText(reloadUnavailable)));
  if (admissionUnavailable.length > 0 || notRewritten.length > 0)
    found.push(finding('AdmissionUnavailable', true, 'PodsNotRewritten', admissionText(input)));
  if (invalidVersions.length > 0)
    found.push(
      finding(
        'VersionsInvalid',
        true,
        'VersionNotFound',
        `${invalidVersions.join('; ')}. Set the annotation to a version of the config, or run \`kubectl rollout undo\``,
      ),
    );
  if (environment.length > 0)
    found.push(finding('EnvironmentNotReloaded', true, 'EnvironmentVariables', environmentText(environment)));
  if (coApplied.length > 0) found.push(finding('CoApplied', true, 'CoApplied', coAppliedText(coApplied)));
  if (unmanaged.length > 0)
    found.push(finding('UnmanagedReferences', true, 'ReferencesNotManaged', unmanaged.join('; ')));
  if (invalidPins.length > 0)
    found.push(
      finding('PinInvalid', true, 'PinInvalid', `${invalidPins.join('; ')}. The workload keeps what it has`),
    );
  if (followProblem !== undefined)
    found.push(finding('ConfigOutdated', true, followProblem.reason, followProblem.message));
  if (keyWarnings.length > 0) found.push(finding('KeyMissing', true, 'KeyNotFound', keyWarnings.join('; ')));
  return found;
}

function optInLostText(keys: readonly string[]): string {
  const workloads = keys.map(workloadText).join(', ');
  return `The opt-in of ${workloads} is gone; management continues. Restore the opt-in, or set trimtab.dev/manage: "false" to end management`;
}

function coAppliedText(references: readonly string[]): string {
  return `Two managers apply the same reference, and each conflicts with the version that the other has: ${references.join('; ')}. Remove the reference from the manifest of one of them, or set trimtab.dev/references: admission on the workload, so that the references stay as they are written`;
}

function admissionText({ admissionUnavailable, notRewritten, state }: StatusInput): string {
  const workloads = admissionUnavailable.map(
    ({ workload, why, isMiswritten }) =>
      `Admission cannot write versions into the pods of ${workloadText(workload)}, as trimtab.dev/references requests: ${why}${isMiswritten ? '' : '. Its pod template names the versions instead'}`,
  );
  const { kind, name } = readConfigKey(state.config);
  const pods = `${notRewritten.map((pod) => `Pod ${pod}`).join(', ')}: reads the live ${kind} ${name}, because nothing has written the assigned version into the pod. Delete the pod; a new pod gets the version`;
  return [...workloads, ...(notRewritten.length > 0 ? [pods] : [])].join('; ');
}

function environmentText(containers: readonly string[]): string {
  return `Environment variables of a running container cannot be reloaded; these keep the version that their pod started with: ${containers.join('; ')}. Mount the config as a volume, or read it from MY_CONFIG_ENDPOINT`;
}

function reloadText(keys: readonly string[]): string {
  const workloads = keys.map(workloadText).join(', ');
  return `${workloads} requested a reload by trimtab.dev/restart: "false"; without an agent in the pods, the pods are replaced`;
}

/** The current version is the wanted one. A rollout that is paused while nothing waits is at rest, too. */
function isAtRest({ state, activation }: StatusInput, phase: Phase): boolean {
  if (phase !== 'Paused') return phase === 'Current';
  const wanted = wantedVersion(state);
  return activation === undefined && (wanted === undefined || wanted.object === state.current?.object);
}

interface Wait {
  reason: Reason;
  message: string;
  /** It ends when a person acts. */
  isForPerson?: true;
}

/** What keeps the wanted version from running everywhere although nothing failed. */
function waitOf(input: StatusInput, phase: Phase, lines: readonly WorkloadLine[]): Wait | undefined {
  const { state, activation } = input;
  if (phase === 'Parked') return parkedBecause(input, lines);
  const held = lines.find((line) => isHeld(line.state));
  if (phase === 'BeingCurrent' && held !== undefined)
    return {
      reason: held.state as Reason,
      message: `${phaseMessage(input, phase, lines)}. ${held.message}`,
    };
  if (!isAtRest(input, phase)) return undefined;
  if (state.current === undefined && activation === undefined)
    return { reason: 'NoVersion', message: 'No version exists yet' };
  const pinned = lines.find(
    (line) => line.state === 'Left' || (line.state === 'Pinned' && !runsCurrent(input, line)),
  );
  if (pinned !== undefined) return { reason: 'Pinned', message: pinned.message ?? '', isForPerson: true };
  if (held !== undefined)
    return { reason: held.state as Reason, message: held.message ?? '', isForPerson: true };
  const assigning = lines.find((line) => line.state === 'Assigning');
  if (assigning !== undefined) return { reason: 'Assigning', message: assigning.message ?? '' };
  const wanted = wantedVersion(state);
  if (hasPendingEdit(state)) return isReadyBefore(input) ? undefined : editPending(state);
  if (activation !== undefined) return undefined;
  if (wanted === undefined || wanted.object === state.current?.object) return undefined;
  if (state.tooEarly)
    return {
      reason: 'WaitingForInterval',
      message: `Version ${wanted.name} waits until the interval since the last activation has passed: minIntervalSeconds, or the pause period of a Deployment`,
    };
  return {
    reason: 'WaitingForOthers',
    message: `Version ${wanted.name} waits for an activation that updates a shared workload`,
  };
}

/** The config was edited, and the edit has no activation yet because more edits may follow. */
function hasPendingEdit(state: RolloutState): boolean {
  const isCurrent = wantedVersion(state)?.object === state.current?.object;
  return state.coalescing && (state.intent.want === 'wait for version' || !isCurrent);
}

/**
 * A rollout that is Ready stays so for the second in which edits are collected: no write of the status says that it has
 * begun. One that is not Ready must not become Ready in between, because clients wait for that.
 */
function isReadyBefore({ before }: StatusInput): boolean {
  return before?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
}

function editPending({ config }: RolloutState): Wait {
  const { kind, name } = readConfigKey(config);
  return {
    reason: 'EditPending',
    message: `${kind} ${name} was edited; edits in quick succession become one version`,
  };
}

/** A workload may be pinned to what is current. */
function runsCurrent(input: StatusInput, { kind, name }: WorkloadLine): boolean {
  const workload = input.workloads.find(({ key }) => key === `${kind}/${name}`);
  return workload?.references.get(input.state.config) === currentOf(input)?.object;
}

function parkedBecause(input: StatusInput, lines: readonly WorkloadLine[]): Wait {
  const outcome = input.activation?.plan.outcome;
  const key = outcome?.result === 'parked' ? outcome.workload : undefined;
  const report = key && input.activation?.plan.workloads.get(key);
  const reason = report ? parkReason(report) : 'Parked';
  const line = lines.find(({ kind, name }) => `${kind}/${name}` === key);
  const what =
    key === undefined ? 'no workload can judge it' : aboutWorkload(workloadText(key), line?.message);
  return { reason, message: `Version ${memberOf(input)?.target.name} is parked: ${what}` };
}

/** Names the workload, unless the message does. */
function aboutWorkload(workload: string, message: string | undefined): string {
  if (message === undefined) return workload;
  return message.includes(workload) ? message : `${workload}: ${message}`;
}

function parkReason(report: WorkloadReport): Reason {
  switch (report.state) {
    case 'scaled to zero':
      return 'ScaledToZero';
    case 'pinned':
      return 'Pinned';
    case 'not judged':
      return report.reason;
    case 'inconclusive':
      return report.problem.reason;
    case 'waiting':
      return (
        { delete: 'WaitingForDelete', resume: 'WaitingForResume', partition: 'WaitingForPartition' } as const
      )[report.for];
    default:
      return 'Parked';
  }
}

function isWithoutPods({ activation }: StatusInput, lines: readonly WorkloadLine[]): boolean {
  const outcome = activation?.plan.outcome;
  if (outcome?.result === 'done') return outcome.noPods === true;
  return lines.every(({ state }) => state === 'NoPods');
}

function phaseMessage(input: StatusInput, phase: Phase, lines: readonly WorkloadLine[]): string {
  const { state } = input;
  const target = memberOf(input)?.target.name;
  if (target === undefined) return phase === 'Paused' ? pausedText(state) : restingText(state);
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
    case 'Parked':
      return `Rollout of version ${target} is parked: ${count(isUpdated)} updated`;
    case 'Failed':
      return `Version ${target} was rolled back`;
    case 'Aborted':
      return `Version ${target} was aborted`;
    case 'Current':
      return `Version ${target} is current`;
  }
}

function restingText({ current }: RolloutState): string {
  return current === undefined ? 'No version exists yet' : `Version ${current.name} is current`;
}

function pausedText(state: RolloutState): string {
  const wanted = wantedVersion(state);
  const waits =
    wanted === undefined || wanted.object === state.current?.object ? '' : `version ${wanted.name} waits, `;
  const rest = restingText(state);
  return `The rollout is paused by spec.paused; ${waits}${rest.charAt(0).toLowerCase()}${rest.slice(1)}`;
}

function isUpdated({ state, updated, total }: WorkloadLine): boolean {
  return state !== 'Pending' && updated >= total;
}

function finding(type: string, status: boolean, reason: Reason, message: string): Finding {
  return { type, status: status ? 'True' : 'False', reason, message };
}
