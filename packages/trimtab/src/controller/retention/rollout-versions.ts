import type { ConfigRollout } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import { rollbackTargets } from '../../core/activation/rollback-targets.ts';
import type { KeptVersion } from '../../core/retention/retention.ts';
import { needsVersion } from '../../core/retention/retention-needs.ts';
import { isVoid, knownLedger, type LedgerVersion } from '../../core/version/ledger.ts';
import { versionMetadata } from '../../core/version/version-metadata.ts';
import type { Workload } from '../../core/workload/reduce-workload.ts';
import { workloadKey } from '../../core/workload/workload-key.ts';
import type { ClusterCache } from '../cache/cluster-cache.ts';
import type { ConfigMetadata } from '../cache/configs.ts';
import { rolloutsManaging, workloadsNaming } from '../cache/lookup.ts';
import { usersOf, versionUsers } from '../version/version-users.ts';

/** A version with the facts that retention needs, and the observed state for guarded writes. */
export interface ObservedVersion extends KeptVersion, LedgerVersion {
  metadata: ConfigMetadata;
  resourceVersion: string;
}

/**
 * Returns the cached versions of a rollout. Versions with damaged metadata are skipped and therefore never deleted.
 */
export function observeVersions(cluster: ClusterCache, rollout: ConfigRollout): ObservedVersion[] {
  const { namespace = '', uid = '' } = rollout.metadata;
  const { kind, name: config } = rollout.spec.config;
  const cache = cluster.configs[kind]?.cache;
  if (cache === undefined) return [];
  const found = [...cache.keysBy('versionOf', uid)].flatMap((key) => {
    const [metadata, resourceVersion] = [cache.get(key), cache.versionOf(key)];
    if (metadata === undefined || resourceVersion === undefined) return [];
    const version = versionMetadata(metadata);
    // Anyone can set a label with the uid of a rollout in another namespace; such an object is not its version.
    if (version === undefined || metadata.deleting || metadata.namespace !== namespace) return [];
    return [{ metadata, version, resourceVersion, users: versionUsers(cluster, metadata) }];
  });
  const naming = [
    ...workloadsNaming(cluster, namespace, kind, config),
    ...found.flatMap(({ users }) => users.workloads),
  ];
  const targets = new Set(
    [...new Set(naming)].flatMap((each) => targetsOf(cluster, each, rollout)).map(({ name }) => name),
  );
  const isNeeded = needsVersion(rollout, {
    liveHash: cluster.originals[kind]?.cache.get(`${namespace}/${config}`)?.hash,
    isRollbackTarget: (object) => targets.has(object),
  });
  const ledger = knownLedger(rollout);
  return found.map(({ metadata, version, resourceVersion, users }) => ({
    name: version.name,
    sequence: version.sequence,
    object: version.object,
    uid: version.uid,
    isVoid: isVoid(ledger, version),
    needed: isNeeded(version),
    users: usersOf(metadata, users),
    ownedByRollout: metadata.ownerReferences.some((owner) => owner.uid === uid),
    metadata,
    resourceVersion,
  }));
}

/** The rollout itself may be newer than the cache. */
function targetsOf(cluster: ClusterCache, workload: Workload, rollout: ConfigRollout) {
  const { kind, name, annotations: its } = workload;
  const others = rolloutsManaging(cluster, workload).filter(
    ({ metadata }) => metadata.uid !== rollout.metadata.uid,
  );
  return rollbackTargets(workloadKey(kind, name), its[annotations.assignment], [rollout, ...others]);
}
