import type { ConfigRollout } from '../../../api/config-rollout.ts';
import { currentHead } from '../../../core/activation/current-version.ts';
import type { VersionHead } from '../../../core/version/version-head.ts';

export type VersionState = 'current' | 'being-current' | 'not-current' | 'rejected';

export function stateOf({ status }: ConfigRollout, isCurrent: boolean, head: VersionHead): VersionState {
  if (isCurrent) return 'current';
  if (status?.target?.object === head.object || head.state === 'being-current') return 'being-current';
  return head.rejected === undefined ? 'not-current' : 'rejected';
}

export interface KeepReason {
  /** One word. */
  reason: 'Current' | 'BeingCurrent' | 'Wanted' | 'InUse' | 'Live';
  message: string;
}

/**
 * Why a version can't be deleted, with the way out; undefined when it can. `liveHash` is the hash of what the config
 * holds, undefined when there is none.
 */
export function keepReason(
  rollout: ConfigRollout,
  versions: readonly VersionHead[],
  head: VersionHead,
  liveHash: string | undefined,
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
  if (rollout.spec.release !== 'Locked' && isOnlyOneOf(liveHash, versions, head))
    return {
      reason: 'Live',
      message:
        'it is what the config holds, and would be made again at once under another name: edit the config first',
    };
  return undefined;
}

/** The controller makes what a config holds a version. With that one gone, a rejection of it would be forgotten, too. */
function isOnlyOneOf(hash: string | undefined, versions: readonly VersionHead[], head: VersionHead): boolean {
  if (head.contentHash !== hash) return false;
  return !versions.some(({ object, contentHash }) => object !== head.object && contentHash === hash);
}
