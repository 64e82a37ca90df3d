import type { ConfigRolloutStatus } from '../../api/config-rollout.ts';
import { isReason, type Reason } from '../../api/reasons/reasons.ts';

/**
 * Why the condition of a rollout has this status; undefined when it has another one. Anyone who may write the status can
 * write a reason that is not registered: it is `Unknown`, so that the number of reasons is limited.
 */
export function reasonIf(
  { conditions = [] }: ConfigRolloutStatus,
  type: 'Ready' | 'Stalled',
  status: 'True' | 'False',
): Reason | 'Unknown' | undefined {
  const condition = conditions.find((each) => each.type === type);
  if (condition?.status !== status) return undefined;
  return isReason(condition.reason) ? condition.reason : 'Unknown';
}
