import type { CallOptions } from '@trimtab/kube/client.ts';
import type { PlannedActivation } from '../../core/activation/plan-group.ts';
import type { RejectedSet } from '../../core/activation/rejection.ts';
import { problemText } from '../../core/status/workload-lines.ts';
import { workloadText } from '../../core/workload/workload-key.ts';
import type { ControllerContext } from '../context.ts';
import { markVersions } from './mark-versions.ts';
import type { ObservedRollout } from './observe.ts';

/**
 * Marks the versions of a config with their states before any workload is changed. A version marked `being-current` is
 * not deleted during its activation, and a version marked `rejected` is not tried again after a crash.
 */
export async function markOutcome(
  context: ControllerContext,
  { state, versions }: ObservedRollout,
  planned: PlannedActivation | undefined,
  how: CallOptions,
): Promise<void> {
  const outcome = planned?.plan.outcome;
  const target = planned?.activation.members.find(({ config }) => config === state.config)?.target.object;
  const failed = outcome?.result === 'failed';
  const isTarget = failed || (planned?.activation.phase === 'moving' && outcome?.result !== 'done');
  const rejection = failed
    ? {
        set: failedSet(planned),
        reason: `${workloadText(outcome.workload)}: ${problemText(outcome.problem)}`,
      }
    : undefined;
  const current = outcome?.result === 'done' ? target : state.current?.object;
  // The current version is found by its label, so labels are left alone while it is unknown.
  if (current === undefined) return;
  await markVersions(context, versions, { current, target: isTarget ? target : undefined, rejection }, how);
}

function failedSet(planned: PlannedActivation | undefined): RejectedSet {
  return new Map(
    (planned?.activation.members ?? []).map(({ config, target }) => [config, target.contentHash]),
  );
}
