import type { ConfigRollout } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import { knownLedger } from '../../core/version/ledger.ts';
import { versionObjectName } from '../../core/version/object-names.ts';
import type { VersionMetadata } from '../../core/version/version-metadata.ts';
import { planVersion, type VersionPlan } from '../../core/version/version-plan.ts';
import type { ClusterCache } from '../cache/cluster-cache.ts';
import type { Original } from '../cache/configs.ts';
import { configMetadataOf, existingVersions } from '../cache/lookup.ts';

/** Plans a version for the live content. Shared by the version reconciler and the code that waits for its versions. */
export function planVersionOf(
  cluster: ClusterCache,
  rollout: ConfigRollout,
  original: Original,
  versions: readonly VersionMetadata[],
): VersionPlan {
  const { namespace = '', uid = '' } = rollout.metadata;
  const { kind, name } = rollout.spec.config;
  return planVersion({
    liveHash: original.hash,
    type: original.type,
    chosenName: original.annotations[annotations.version],
    versions,
    existing: existingVersions(cluster, rollout),
    ledger: knownLedger(rollout),
    isOccupied: (version) =>
      configMetadataOf(cluster, namespace, kind, versionObjectName(name, uid, version)) !== undefined,
  });
}
