import type { ConfigRollout } from '../../api/config-rollout.ts';
import type { KeepReasonName } from '../../api/reasons/response-reasons.ts';
import { findCurrentVersion } from '../activation/current-version.ts';
import type { VersionMetadata } from './version-metadata.ts';

export type VersionState = 'current' | 'being-current' | 'not-current' | 'rejected';

export function stateOf(
  { status }: ConfigRollout,
  isCurrent: boolean,
  version: VersionMetadata,
): VersionState {
  if (isCurrent) return 'current';
  if (status?.target?.object === version.object) return 'being-current';
  return version.rejected === undefined ? 'not-current' : 'rejected';
}

export interface KeepReason {
  /** Machine-readable reason in one word. */
  reason: KeepReasonName;
  message: string;
}

/**
 * Returns why a version cannot be deleted and what to do; undefined when it can. `liveHash` is the content hash of the
 * config, undefined when the config does not exist.
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
    return { reason: 'Current', message: 'the version is current; activate another version first' };
  if (state === 'being-current')
    return {
      reason: 'BeingCurrent',
      message: 'the version is being rolled out; activate another version first',
    };
  if (rollout.spec.version === version.name)
    return {
      reason: 'Wanted',
      message: 'spec.version of the ConfigRollout requests the version; activate another version first',
    };
  if (version.inUse)
    return {
      reason: 'InUse',
      message:
        'the version is in use by pods, ReplicaSets or ControllerRevisions; delete it when the last of them is gone',
    };
  if (isOnlyOneOf(liveHash, versions, version))
    return {
      reason: 'Live',
      message: `the version has the content of the config and would be created again under another name; ${
        rollout.spec.release === 'Locked'
          ? 'wait until Trimtab has written the current version to the Locked config'
          : 'edit the config first'
      }`,
    };
  return undefined;
}

/**
 * Whether no other version has the content of the config. The controller would create such a version again, without the
 * rejection that it may carry.
 */
function isOnlyOneOf(
  hash: string | undefined,
  versions: readonly VersionMetadata[],
  version: VersionMetadata,
): boolean {
  if (version.contentHash !== hash) return false;
  return !versions.some(({ object, contentHash }) => object !== version.object && contentHash === hash);
}
