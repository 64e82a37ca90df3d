import type { ConfigRollout } from '../../api/config-rollout.ts';
import { currentHead } from '../../core/activation/current-version.ts';
import type { VersionHead } from '../../core/version-head.ts';

export type VersionState = 'current' | 'being-current' | 'not-current' | 'rejected';

export function stateOf({ status }: ConfigRollout, isCurrent: boolean, head: VersionHead): VersionState {
  if (isCurrent) return 'current';
  if (status?.target?.object === head.object || head.state === 'being-current') return 'being-current';
  return head.rejected === undefined ? 'not-current' : 'rejected';
}

export interface KeepReason {
  /** One word. */
  reason: 'Current' | 'BeingCurrent' | 'Wanted' | 'InUse';
  message: string;
}

/** Why a version can't be deleted, with the way out; undefined when it can. */
export function keepReason(
  rollout: ConfigRollout,
  versions: readonly VersionHead[],
  head: VersionHead,
): KeepReason | undefined {
  const state = stateOf(rollout, currentHead(versions, rollout.status)?.object === head.object, head);
  if (state === 'current')
    return { reason: 'Current', message: 'it is current: make another version current first' };
  if (state === 'being-current')
    return { reason: 'BeingCurrent', message: 'it is being rolled out: make another version current first' };
  if (rollout.spec.version === head.name)
    return {
      reason: 'Wanted',
      message: 'its rollout asks for it to be made current: make another version current first',
    };
  if (head.inUse)
    return {
      reason: 'InUse',
      message: 'pods, ReplicaSets or ControllerRevisions name it: it goes with the last of them',
    };
  return undefined;
}
