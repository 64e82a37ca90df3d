import type { ConfigRolloutStatus } from '../../api/config-rollout.ts';

export type Condition = NonNullable<ConfigRolloutStatus['conditions']>[number];

export interface Finding {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
}

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
