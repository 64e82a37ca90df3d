import type { ConfigRolloutStatus } from '../../api/config-rollout.ts';
import type { Reason } from '../../api/reasons/reasons.ts';
import type { WorkloadKind } from '../workload/observed.ts';
import { type WorkloadKey, workloadKey } from '../workload/workload-key.ts';
import { newProblem, type Transition, transitions } from './transitions.ts';

/** An Event, and the objects that it is recorded on. */
export interface News {
  type: 'Normal' | 'Warning';
  reason: Reason;
  message: string;
  /** Also on the config; every Event is recorded on the ConfigRollout. */
  onConfig: boolean;
  /** Also on this workload. */
  workload?: WorkloadKey | undefined;
}

/**
 * What users have to know about the change from one status to the next, each once: released, failed, rolled back,
 * pinned, waits. `deciding` is the workload that failed or cannot be judged.
 */
export function newsOf(
  before: ConfigRolloutStatus | undefined,
  after: ConfigRolloutStatus,
  deciding: WorkloadKey | undefined,
): News[] {
  const problem = newProblem(before, after);
  const told = transitions(before, after).map(transitionNews);
  // The end of an activation has its own Event, and a pin to a rejected version is recorded on its workload.
  const isTold =
    problem === undefined || ['Rejected', 'Aborted', 'PinnedToRejected'].includes(problem.reason);
  const problems: News[] = isTold
    ? []
    : [
        {
          ...warning(problem.reason as Reason, problem.message),
          onConfig: true,
          workload: deciding ?? namedIn(after, problem.message),
        },
      ];
  const isParked = after.phase === 'Parked' && before?.phase !== 'Parked';
  const ready = after.conditions?.find(({ type }) => type === 'Ready');
  const parked: News[] =
    isParked && ready !== undefined && isTold
      ? [{ ...warning(ready.reason as Reason, ready.message), onConfig: true, workload: firstWaiting(after) }]
      : [];
  return [...problems, ...parked, ...pins(before, after), ...told];
}

function transitionNews(transition: Transition): News {
  const { reason } = transition;
  const isBad = reason === 'RolledBack' || reason === 'Aborted';
  return {
    type: isBad ? 'Warning' : 'Normal',
    reason,
    message: transitionText(transition),
    onConfig: reason !== 'ActivationStarted',
  };
}

function transitionText({ reason, version }: Transition): string {
  switch (reason) {
    case 'ActivationStarted':
      return `Rolling out version ${version}`;
    case 'VersionCurrent':
      return `Version ${version} is current`;
    case 'RolledBack':
      return `Version ${version} was rolled back`;
    case 'Aborted':
      return `Version ${version} was aborted: all workloads left the activation`;
  }
}

/** Workloads that now run what another client chose. */
function pins(before: ConfigRolloutStatus | undefined, after: ConfigRolloutStatus): News[] {
  const degraded = after.conditions?.find(({ type }) => type === 'Degraded');
  const toRejected = degraded?.reason === 'PinnedToRejected' ? degraded.message : '';
  const isPinned = (state: string | undefined) => state === 'Pinned' || state === 'Left';
  return (after.workloads ?? []).flatMap(({ kind, name, state, message = '' }): News[] => {
    const old = before?.workloads?.find((line) => line.kind === kind && line.name === name);
    if (!isPinned(state) || isPinned(old?.state) || toRejected.includes(`${kind} ${name} `)) return [];
    const workload = workloadKey(kind as WorkloadKind, name);
    return [{ ...warning('Pinned', `${kind} ${name}: ${message}`), onConfig: false, workload }];
  });
}

function namedIn({ workloads = [] }: ConfigRolloutStatus, message: string): WorkloadKey | undefined {
  const line = workloads.find(({ kind, name }) => message.includes(`${kind} ${name}:`));
  return line && workloadKey(line.kind as WorkloadKind, line.name);
}

function firstWaiting({ workloads = [] }: ConfigRolloutStatus): WorkloadKey | undefined {
  const line = workloads.find(({ state }) => state.startsWith('Waiting') || state === 'ScaledToZero');
  return line && workloadKey(line.kind as WorkloadKind, line.name);
}

function warning(reason: Reason, message: string): Pick<News, 'type' | 'reason' | 'message'> {
  return { type: 'Warning', reason, message };
}
