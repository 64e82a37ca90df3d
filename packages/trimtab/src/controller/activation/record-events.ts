import type { ConfigRollout, ConfigRolloutStatus } from '../../api/config-rollout.ts';
import type { PlannedActivation } from '../../core/activation/plan-group.ts';
import { decidingWorkload } from '../../core/activation/types.ts';
import type { RejectedPin } from '../../core/status/rejected-pins.ts';
import { statusEvents } from '../../core/status/status-events.ts';
import { configMetadataOf } from '../cache/lookup.ts';
import type { ControllerContext, EventSubject } from '../context.ts';
import { rolloutSubject } from '../version/rollout-subject.ts';
import { workloadSubject } from '../workload/workload-subject.ts';
import type { ObservedGroup } from './observe.ts';

/** Records an Event for each change between the two statuses, on the rollout, its config and the workload concerned. */
export function recordEvents(
  context: ControllerContext,
  { workloads }: ObservedGroup,
  rollout: ConfigRollout,
  after: ConfigRolloutStatus,
  planned: PlannedActivation | undefined,
): void {
  const deciding = planned && decidingWorkload(planned.plan)?.workload;
  const config = configSubject(context, rollout);
  const { kind, name } = rollout.spec.config;
  for (const event of statusEvents(rollout.status, after, deciding)) {
    const { type, reason, message } = event;
    context.recordEvent(rolloutSubject(rollout), type, reason, message);
    if (event.onConfig && config !== undefined) context.recordEvent(config, type, reason, message);
    // A workload may have several configs, each with its own versions.
    const text = event.isAboutWorkload ? message : `${kind} ${name}: ${message}`;
    for (const { state, workload } of workloads)
      if (event.workloads.includes(state.key))
        context.recordEvent(workloadSubject(workload), type, reason, text);
  }
}

function configSubject(
  { cluster }: ControllerContext,
  { spec, metadata }: ConfigRollout,
): EventSubject | undefined {
  const { kind, name } = spec.config;
  const { namespace = '' } = metadata;
  const uid = configMetadataOf(cluster, namespace, kind, name)?.uid;
  return uid === undefined ? undefined : { apiVersion: 'v1', kind, namespace, name, uid };
}

/** Records an Event for each workload that is newly pinned to a rejected version. */
export function recordPinEvents(
  context: ControllerContext,
  { workloads }: ObservedGroup,
  rollout: ConfigRollout,
  pins: readonly RejectedPin[],
): void {
  const { recordEvent } = context;
  const config = configSubject(context, rollout);
  const degraded = rollout.status?.conditions?.find(({ type }) => type === 'Degraded');
  for (const { workload: key, message } of pins) {
    const observed = workloads.find(({ state }) => state.key === key);
    if (observed === undefined || degraded?.message.includes(message)) continue;
    recordEvent(workloadSubject(observed.workload), 'Warning', 'PinnedToRejected', message);
    recordEvent(rolloutSubject(rollout), 'Warning', 'PinnedToRejected', message);
    if (config !== undefined) recordEvent(config, 'Warning', 'PinnedToRejected', message);
  }
}
