import type { ConfigRollout, ConfigRolloutStatus } from '../../api/config-rollout.ts';
import type { RejectedPin } from '../../core/status/rejected-pins.ts';
import type { ControllerContext } from '../context.ts';
import { rolloutSubject } from '../version/rollout-subject.ts';
import { workloadSubject } from '../workload/workload-subject.ts';
import type { ObservedGroup } from './observe.ts';

/** News for people, once for each change of phase. */
export function recordEvents(
  { recordEvent }: ControllerContext,
  rollout: ConfigRollout,
  after: ConfigRolloutStatus,
): void {
  const before = rollout.status;
  const subject = rolloutSubject(rollout);
  const degraded = degradedOf(after);
  if (degraded?.status === 'True' && degraded.message !== degradedOf(before)?.message) {
    recordEvent(subject, 'Warning', degraded.reason, degraded.message);
  }
  if (after.target !== undefined && after.target.activation !== before?.target?.activation) {
    recordEvent(
      subject,
      'Normal',
      'ActivationStarted',
      `version ${after.target.version} is being made current`,
    );
  }
  if (after.current?.object !== before?.current?.object && after.current !== undefined) {
    recordEvent(subject, 'Normal', 'VersionCurrent', `version ${after.current.version} is current`);
  }
  if (after.phase === 'Failed' && before?.phase === 'RollingBack') {
    recordEvent(subject, 'Warning', 'RolledBack', `version ${before.target?.version} was rolled back`);
  }
}

/** Tells each workload that is newly pinned to rejected content; what the status said before was told. */
export function recordPinEvents(
  { recordEvent }: ControllerContext,
  { workloads }: ObservedGroup,
  rollout: ConfigRollout,
  pins: readonly RejectedPin[],
): void {
  const told = degradedOf(rollout.status)?.message ?? '';
  for (const { workload: key, message } of pins) {
    const its = workloads.find(({ state }) => state.key === key);
    if (its !== undefined && !told.includes(message))
      recordEvent(workloadSubject(its.workload), 'Warning', 'PinnedToRejected', message);
  }
}

function degradedOf(status: ConfigRolloutStatus | undefined) {
  return status?.conditions?.find(({ type }) => type === 'Degraded');
}
