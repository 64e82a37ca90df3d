import type { ConfigRolloutStatus } from '../../api/config-rollout.ts';
import type { Condition } from './conditions.ts';

/** A step of a rollout that one write of its status records. */
export interface Transition {
  reason: 'ActivationStarted' | 'VersionCurrent' | 'RolledBack' | 'Aborted';
  version: string;
  /** Undefined for the first version of a config, which is current without an activation. */
  activation: string | undefined;
}

/**
 * The transitions between two consecutive statuses. A status is written only over the one that was read, so each
 * transition is returned to one controller only.
 */
export function transitions(
  before: ConfigRolloutStatus | undefined,
  after: ConfigRolloutStatus,
): Transition[] {
  const { target, current } = after;
  const old = before?.target;
  const found: Transition[] = [];
  if (target !== undefined && target.activation !== old?.activation)
    found.push({ reason: 'ActivationStarted', version: target.version, activation: target.activation });
  if (current !== undefined && current.object !== before?.current?.object) {
    const activation = old?.object === current.object ? old.activation : undefined;
    found.push({ reason: 'VersionCurrent', version: current.version, activation });
  }
  if (after.phase === 'Failed' && isRollingBack(before) && old !== undefined)
    found.push({ reason: 'RolledBack', version: old.version, activation: old.activation });
  if (after.phase === 'Aborted' && before?.phase !== 'Aborted' && old !== undefined && target === undefined)
    found.push({ reason: 'Aborted', version: old.version, activation: old.activation });
  return found;
}

export function isRollingBack(status: ConfigRolloutStatus | undefined): boolean {
  return status?.phase === 'RollingBack' || status?.phase === 'RollbackFailed';
}

/**
 * The Degraded condition of `after` when it is True and new: another reason, or another activation. A message changes
 * with the pod that it names.
 */
export function newProblem(
  before: ConfigRolloutStatus | undefined,
  after: ConfigRolloutStatus,
): Condition | undefined {
  const [old, now] = [degradedOf(before), degradedOf(after)];
  if (now?.status !== 'True') return undefined;
  const isSame = old?.status === 'True' && old.reason === now.reason;
  return isSame && before?.target?.activation === after.target?.activation ? undefined : now;
}

function degradedOf(status: ConfigRolloutStatus | undefined): Condition | undefined {
  return status?.conditions?.find(({ type }) => type === 'Degraded');
}
