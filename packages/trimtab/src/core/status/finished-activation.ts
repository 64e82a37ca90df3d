import type { ConfigRolloutStatus } from '../../api/config-rollout.ts';
import type { ConfigKey } from '../references/config-key.ts';

export interface FinishedActivation {
  result: 'current' | 'rolled_back' | 'superseded';
  /** As long as the status says, to the second. */
  seconds: number;
}

/**
 * The activation that one write of a status has brought to its end, if any. A status is written only over the one
 * that was read, so that of all controllers that may be at it one alone makes each change; and of the configs of an
 * activation, which end together, the first speaks for all. So none is ever answered twice.
 */
export function finishedActivation(
  config: ConfigKey,
  before: ConfigRolloutStatus | undefined,
  after: ConfigRolloutStatus,
): FinishedActivation | undefined {
  const old = before?.target;
  if (old === undefined) {
    // Without workloads there is nothing to wait for. The first version of a config is no activation.
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
};
