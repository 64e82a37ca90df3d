import type { CallOptions } from '@trimtab/kube/client.ts';
import type { PlannedActivation } from '../../core/activation/plan-group.ts';
import type { RejectedSet, Rejection } from '../../core/activation/rejection.ts';
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
  const why = planned && rejectionOf(planned);
  const isTarget =
    why !== undefined || (planned?.activation.phase === 'moving' && outcome?.result !== 'done');
  const rejection = why && { ...why, set: triedSet(planned) };
  const current = outcome?.result === 'done' ? target : state.current?.object;
  // The current version is found by its label, so labels are left alone while it is unknown.
  if (current === undefined) return;
  await markVersions(context, versions, { current, target: isTarget ? target : undefined, rejection }, how);
}

function rejectionOf({
  activation,
  plan: { outcome },
}: PlannedActivation): Omit<Rejection, 'sets'> | undefined {
  if (outcome.result === 'failed')
    return {
      reason: `${workloadText(outcome.workload)}: ${problemText(outcome.problem)}`,
      activation: activation.id,
    };
  if (outcome.result !== 'aborted') return undefined;
  const { workload } = outcome;
  const reason =
    workload === undefined
      ? 'all workloads were deleted or opted out'
      : `another client set ${workloadText(workload)} to other versions`;
  return { reason, aborted: true };
}

function triedSet(planned: PlannedActivation | undefined): RejectedSet {
  return new Map((planned?.activation.members ?? []).map(({ config, target }) => [config, target.name]));
}
