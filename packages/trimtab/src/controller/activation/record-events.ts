import type { ConfigRollout, ConfigRolloutStatus } from '../../api/config-rollout.ts';
import type { Reason } from '../../api/reasons/reasons.ts';
import type { RejectedPin } from '../../core/status/rejected-pins.ts';
import { degradedOf, newProblem, type Transition, transitions } from '../../core/status/transitions.ts';
import type { ControllerContext } from '../context.ts';
import { rolloutSubject } from '../version/rollout-subject.ts';
import { workloadSubject } from '../workload/workload-subject.ts';
import type { ObservedGroup } from './observe.ts';

/** Records an Event for each transition between the two statuses, and for a new problem. */
export function recordEvents(
  { recordEvent }: ControllerContext,
  rollout: ConfigRollout,
  after: ConfigRolloutStatus,
): void {
  const subject = rolloutSubject(rollout);
  const problem = newProblem(rollout.status, after);
  if (problem !== undefined) recordEvent(subject, 'Warning', problem.reason as Reason, problem.message);
  for (const transition of transitions(rollout.status, after))
    recordEvent(
      subject,
      ['RolledBack', 'Aborted'].includes(transition.reason) ? 'Warning' : 'Normal',
      transition.reason,
      eventMessage(transition),
    );
}

function eventMessage({ reason, version }: Transition): string {
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

/** Records an Event on each workload that is newly pinned to a rejected version. */
export function recordPinEvents(
  { recordEvent }: ControllerContext,
  { workloads }: ObservedGroup,
  rollout: ConfigRollout,
  pins: readonly RejectedPin[],
): void {
  const recorded = degradedOf(rollout.status)?.message ?? '';
  for (const { workload: key, message } of pins) {
    const observed = workloads.find(({ state }) => state.key === key);
    if (observed !== undefined && !recorded.includes(message))
      recordEvent(workloadSubject(observed.workload), 'Warning', 'PinnedToRejected', message);
  }
}
