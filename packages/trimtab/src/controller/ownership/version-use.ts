import { isVoid, knownLedger } from '../../core/version/ledger.ts';
import { byCreation, type VersionMetadata, versionMetadata } from '../../core/version/version-metadata.ts';
import type { ClusterCache } from '../cache/cluster-cache.ts';
import type { ConfigMetadata } from '../cache/configs.ts';
import { originalOf, rolloutWithUid, versionsOf } from '../cache/lookup.ts';
import { versionUsers } from '../version/version-users.ts';
import type { VersionUse } from './ownership-plan.ts';

/** Observes what uses a version. */
export function versionUse(cluster: ClusterCache, metadata: ConfigMetadata): VersionUse {
  const version = versionMetadata(metadata);
  const isWanted = version !== undefined && isWantedVersion(cluster, version);
  const isMoving = isWanted && version.state !== 'rejected';
  return { ...versionUsers(cluster, metadata), isWanted, isMoving };
}

/** Whether a version is being rolled out, or is what the config or `spec.version` requests and not current yet. */
function isWantedVersion(cluster: ClusterCache, version: VersionMetadata): boolean {
  const rollout = rolloutWithUid(cluster, version.rolloutUid);
  if (rollout === undefined || version.state === 'current' || isVoid(knownLedger(rollout), version))
    return false;
  const { spec, status } = rollout;
  if (status?.target?.object === version.object || spec.version === version.name) return true;
  // An explicit request takes precedence over the content of the config.
  if (spec.release !== 'Auto' || spec.version !== undefined || version.state === 'rejected') return false;
  if (originalOf(cluster, rollout)?.hash !== version.contentHash) return false;
  // Of several versions with this content, the current one stays, else the first one is rolled out.
  const same = versionsOf(cluster, rollout).filter((each) => each.contentHash === version.contentHash);
  return (
    same.every(({ state }) => state !== 'current') && same.sort(byCreation)[0]?.object === version.object
  );
}
