import type { ConfigRollout } from '../../../api/config-rollout.ts';
import { findCurrentVersion } from '../../../core/activation/current-version.ts';
import type { VersionMetadata } from '../../../core/version/version-metadata.ts';

export type VersionState = 'current' | 'being-current' | 'not-current' | 'rejected';

export function stateOf(
  { status }: ConfigRollout,
  isCurrent: boolean,
  version: VersionMetadata,
): VersionState {
  if (isCurrent) return 'current';
  if (status?.target?.object === version.object || version.state === 'being-current') return 'being-current';
  return version.rejected === undefined ? 'not-current' : 'rejected';
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
  versions: readonly VersionMetadata[],
  version: VersionMetadata,
  liveHash: string | undefined,
): KeepReason | undefined {
  const state = stateOf(
    rollout,
    findCurrentVersion(versions, rollout.status)?.object === version.object,
    version,
  );
  if (state === 'current')
    return { reason: 'Current', message: 'it is current: make another version current first' };
  if (state === 'being-current')
    return { reason: 'BeingCurrent', message: 'it is being rolled out: make another version current first' };
  if (rollout.spec.version === version.name)
    return {
      reason: 'Wanted',
      message: 'its rollout asks for it to be made current: make another version current first',
    };
  if (version.inUse)
    return {
      reason: 'InUse',
      message: 'pods, ReplicaSets or ControllerRevisions name it: it goes with the last of them',
    };
  if (rollout.spec.release !== 'Locked' && isOnlyOneOf(liveHash, versions, version))
    return {
      reason: 'Live',
      message:
        'it is what the config holds, and would be made again at once under another name: edit the config first',
    };
  return undefined;
}

/** The controller makes what a config holds a version. With that one gone, a rejection of it would be forgotten, too. */
function isOnlyOneOf(
  hash: string | undefined,
  versions: readonly VersionMetadata[],
  version: VersionMetadata,
): boolean {
  if (version.contentHash !== hash) return false;
  return !versions.some(({ object, contentHash }) => object !== version.object && contentHash === hash);
}
