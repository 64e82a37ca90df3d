import { type ConfigRollout, configRollouts } from '../../api/config-rollout.ts';
import type { ConfigAddress } from '../references/config-address.ts';
import { activation, runningReason, typedConfig } from './running-reason.ts';
import type { VersionMetadata } from './version-metadata.ts';
import { type KeepReason, keepReason } from './version-state.ts';
import type { VersionUsers } from './version-users.ts';

interface PurgeFacts {
  /** Undefined when the config is no longer managed, and versions remain. */
  rollout: ConfigRollout | undefined;
  versions: readonly VersionMetadata[];
  /** The content hash of the config; undefined when the config does not exist. */
  liveHash: string | undefined;
  usersOf(version: VersionMetadata): VersionUsers;
}

/**
 * Returns why a version cannot be purged and what to do; undefined when it can. In contrast to an ordinary deletion,
 * old revisions do not keep a version: only what runs it, or may run it next.
 */
export function purgeRefusal(
  { rollout, versions, liveHash, usersOf }: PurgeFacts,
  version: VersionMetadata,
  address: ConfigAddress,
): KeepReason | undefined {
  const running = runningReason(usersOf(version), address, again);
  if (rollout === undefined) return running ?? leavingReason(version);
  const keep = keepReason(rollout, versions, { ...version, inUse: false }, liveHash);
  if (keep === undefined) return running;
  if (keep.reason === 'Live') return running ?? { ...keep, message: `${keep.message}; ${again}` };
  // Only with release mode Auto, an edit is activated.
  const isLive = rollout.spec.release === 'Auto' && version.contentHash === liveHash;
  const next = isLive
    ? `The config itself has the content of this version: edit ${typedConfig(address)}, and wait until the new version is current`
    : `Activate another version with \`${activation(address)}\`, and wait until it is current`;
  return { ...keep, message: `${keep.message}. ${next}; ${again}` };
}

const again = 'then repeat the purge';

/** The admission policy protects the version that was current until the deleted ConfigRollout no longer owns it. */
function leavingReason({ state, ownerReferences }: VersionMetadata): KeepReason | undefined {
  if (state !== 'current' || ownerReferences.every(({ kind }) => kind !== configRollouts.kind))
    return undefined;
  return {
    reason: 'Unmanaged',
    message: `the config is no longer managed, and Kubernetes has not removed the deleted ConfigRollout from the ownerReferences of the version yet: wait some seconds, ${again}`,
  };
}
