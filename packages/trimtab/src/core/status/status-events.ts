import type { ConfigRolloutStatus } from '../../api/config-rollout.ts';
import type { Reason } from '../../api/reasons/reasons.ts';
import { abortText } from '../activation/abort.ts';
import type { WorkloadKind } from '../workload/observed.ts';
import { type WorkloadKey, workloadKey } from '../workload/workload-key.ts';
import { isRollingBack, newProblem, type Transition, transitions } from './transitions.ts';
import { isHeld } from './workload-lines.ts';

/** An Event, and the objects that it is recorded on. */
export interface StatusEvent {
  type: 'Normal' | 'Warning';
  reason: Reason;
  message: string;
  /** Also on the config; every Event is recorded on the ConfigRollout. */
  onConfig: boolean;
  /** Also on these workloads. */
  workloads: readonly WorkloadKey[];
  /** The message is about the workload and not about a version, so it is the same for all configs of the workload. */
  isAboutWorkload?: true;
}

/**
 * What users have to know about the change from one status to the next, each once: released, failed, rolled back,
 * pinned, waits. `deciding` is the workload that failed or cannot be judged.
 */
export function statusEvents(
  before: ConfigRolloutStatus | undefined,
  after: ConfigRolloutStatus,
  deciding: WorkloadKey | undefined,
): StatusEvent[] {
  const problem = newProblem(before, after);
  const told = transitions(before, after).map((transition) => transitionEvent(transition, before, after));
  // The end of an activation has its own Event, and a pin to a rejected version is recorded on its workload.
  const isTold =
    problem === undefined || ['Rejected', 'Aborted', 'PinnedToRejected'].includes(problem.reason);
  const concerned = deciding ?? (problem && namedIn(after, problem.message));
  const problems = isTold ? [] : [warning(problem.reason as Reason, problem.message, concerned)];
  const parked = isTold ? parks(before, after, deciding) : [];
  return [...problems, ...parked, ...changedLines(before, after), ...waits(before, after), ...told];
}

function transitionEvent(
  transition: Transition,
  before: ConfigRolloutStatus | undefined,
  { workloads = [], current, history }: ConfigRolloutStatus,
): StatusEvent {
  const { reason } = transition;
  const isBad = reason === 'RolledBack' || reason === 'Aborted';
  const isReverted = reason === 'RolledBack' || (reason === 'Aborted' && isRollingBack(before));
  return {
    type: isBad ? 'Warning' : 'Normal',
    reason,
    message: transitionText(transition, current?.version, history?.[0]?.reason),
    // What goes well is recorded once, on the ConfigRollout: each Event is a write.
    onConfig: isBad,
    // A workload that left or is pinned has its own Event.
    workloads: isReverted ? workloads.filter(({ state }) => !isPinned(state)).map(keyOf) : [],
  };
}

function transitionText(
  { reason, version }: Transition,
  current: string | undefined,
  why: string | undefined,
): string {
  switch (reason) {
    case 'ActivationStarted':
      return `Rolling out version ${version}`;
    case 'VersionCurrent':
      return `Version ${version} is current`;
    case 'RolledBack':
      return `Version ${version} was rolled back; version ${current} is current`;
    case 'Aborted':
      return `${abortText(version, why)}; version ${current} is current`;
  }
}

/** A parked version, unless a workload that waits for a person says why. */
function parks(
  before: ConfigRolloutStatus | undefined,
  after: ConfigRolloutStatus,
  deciding: WorkloadKey | undefined,
): StatusEvent[] {
  const ready = readyOf(after);
  if (after.phase !== 'Parked' || before?.phase === 'Parked' || ready === undefined) return [];
  if (after.workloads?.some(({ state }) => state === ready.reason)) return [];
  return [warning(ready.reason as Reason, ready.message, deciding)];
}

/** Workloads that now run what another client chose, or wait for a person. */
function changedLines(before: ConfigRolloutStatus | undefined, after: ConfigRolloutStatus): StatusEvent[] {
  const degraded = after.conditions?.find(({ type }) => type === 'Degraded');
  const toRejected = degraded?.reason === 'PinnedToRejected' ? degraded.message : '';
  return (after.workloads ?? []).flatMap((line): StatusEvent[] => {
    const { kind, name, state, message = '' } = line;
    const old = before?.workloads?.find((each) => each.kind === kind && each.name === name);
    if (isPinned(state)) {
      if (isPinned(old?.state) || toRejected.includes(`${kind} ${name} `)) return [];
      return [{ ...warning('Pinned', message, keyOf(line)), isAboutWorkload: true }];
    }
    if (!isHeld(state) || old?.state === state) return [];
    return [{ ...warning(state as Reason, message, keyOf(line)), isAboutWorkload: true }];
  });
}

/** A version that waits although nothing is wrong with it. */
function waits(before: ConfigRolloutStatus | undefined, after: ConfigRolloutStatus): StatusEvent[] {
  const [old, now] = [readyOf(before), readyOf(after)];
  if (now === undefined || !['WaitingForInterval', 'WaitingForOthers', 'Paused'].includes(now.reason))
    return [];
  // The message of a paused activation counts updated workloads. The others name the version that waits.
  const isSame = now.reason === old?.reason && (after.target !== undefined || now.message === old.message);
  if (isSame) return [];
  const { reason, message } = now;
  return [{ type: 'Normal', reason: reason as Reason, message, onConfig: true, workloads: [] }];
}

function isPinned(state: string | undefined): boolean {
  return state === 'Pinned' || state === 'Left';
}

function readyOf(status: ConfigRolloutStatus | undefined) {
  return status?.conditions?.find(({ type }) => type === 'Ready');
}

function namedIn({ workloads = [] }: ConfigRolloutStatus, message: string): WorkloadKey | undefined {
  const line = workloads.find(({ kind, name }) => message.includes(`${kind} ${name}:`));
  return line && keyOf(line);
}

function keyOf({ kind, name }: { kind: string; name: string }): WorkloadKey {
  return workloadKey(kind as WorkloadKind, name);
}

function warning(reason: Reason, message: string, workload: WorkloadKey | undefined): StatusEvent {
  return { type: 'Warning', reason, message, onConfig: true, workloads: workload ? [workload] : [] };
}
