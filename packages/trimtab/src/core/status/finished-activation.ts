import type { ConfigRolloutStatus } from '../../api/config-rollout.ts';
import type { ConfigKey } from '../references/config-key.ts';

export const activationResults = ['current', 'rolled_back', 'aborted', 'superseded'] as const;

export interface FinishedActivation {
  result: (typeof activationResults)[number];
  /** Computed from the times in the status, which have a resolution of one second. */
  seconds: number;
}

/**
 * Returns the activation that a write of the status has ended, if any. A status is written only over the one that was
 * read, so only one controller makes each change. The configs of an activation end together, and only the first of
 * them reports the end. Therefore no activation is returned twice.
 */
export function finishedActivation(
  config: ConfigKey,
  before: ConfigRolloutStatus | undefined,
  after: ConfigRolloutStatus,
): FinishedActivation | undefined {
  const old = before?.target;
  if (old === undefined) {
    // An activation without workloads ends at once and is never a target. The first version needs no activation.
    const isAnother = before?.current !== undefined && after.current?.object !== before.current.object;
    return isAnother && after.target === undefined ? { result: 'current', seconds: 0 } : undefined;
  }
  if (old.activation === after.target?.activation) return undefined;
  if (old.members.some((member) => member < config)) return undefined;
  const [entry] = after.history ?? [];
  const seconds = (Date.parse(entry?.finishedAt ?? '') - Date.parse(old.startedAt)) / 1000;
  return { result: results[entry?.result ?? ''] ?? 'superseded', seconds: Math.max(0, seconds || 0) };
}

const results: Record<string, FinishedActivation['result']> = {
  Current: 'current',
  RolledBack: 'rolled_back',
  Aborted: 'aborted',
};
