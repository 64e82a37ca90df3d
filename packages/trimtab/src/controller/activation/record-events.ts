import type { ConfigRollout, ConfigRolloutStatus } from '../../api/config-rollout.ts';
import type { PlannedActivation } from '../../core/activation/plan-group.ts';
import { decidingWorkload } from '../../core/activation/types.ts';
import { newsOf } from '../../core/status/news.ts';
import type { RejectedPin } from '../../core/status/rejected-pins.ts';
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
  for (const { type, reason, message, onConfig, workload } of newsOf(rollout.status, after, deciding)) {
    const concerned = workloads.find(({ state }) => state.key === workload);
    context.recordEvent(rolloutSubject(rollout), type, reason, message);
    if (onConfig && config !== undefined) context.recordEvent(config, type, reason, message);
    if (concerned !== undefined)
      context.recordEvent(workloadSubject(concerned.workload), type, reason, message);
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

/** Records an Event on each workload that is newly pinned to a rejected version. */
export function recordPinEvents(
  { recordEvent }: ControllerContext,
  { workloads }: ObservedGroup,
  rollout: ConfigRollout,
  pins: readonly RejectedPin[],
): void {
  const degraded = rollout.status?.conditions?.find(({ type }) => type === 'Degraded');
  for (const { workload: key, message } of pins) {
    const observed = workloads.find(({ state }) => state.key === key);
    if (observed === undefined || degraded?.message.includes(message)) continue;
    recordEvent(workloadSubject(observed.workload), 'Warning', 'PinnedToRejected', message);
    recordEvent(rolloutSubject(rollout), 'Warning', 'PinnedToRejected', message);
  }
}
