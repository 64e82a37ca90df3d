import type { ConfigRolloutStatus } from '../../api/config-rollout.ts';
import type { Reason } from '../../api/reasons/reasons.ts';

export type Condition = NonNullable<ConfigRolloutStatus['conditions']>[number];

export interface Finding {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: Reason;
  message: string;
}

/** What is wrong with a rollout. */
export type Problem = Pick<Finding, 'reason' | 'message'>;

/** The conditions to write: the time of the last transition changes only when the status itself does. */
export function mergeConditions(
  before: readonly Condition[] | undefined,
  findings: readonly Finding[],
  generation: number,
  now: string,
): Condition[] {
  return findings.map((finding) => {
    const old = before?.find(({ type }) => type === finding.type);
    const lastTransitionTime = old?.status === finding.status ? old.lastTransitionTime : now;
    return { ...finding, lastTransitionTime, observedGeneration: generation };
  });
}
