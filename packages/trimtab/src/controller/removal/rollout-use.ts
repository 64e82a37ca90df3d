import type { ConfigRollout } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import type { RolloutUse } from '../../core/retention/unused-rollout.ts';
import { configLabelValue } from '../../core/version/object-names.ts';
import type { ClusterCache } from '../cache/cluster-cache.ts';
import { configMetadataOf } from '../cache/lookup.ts';
import { versionUsers } from '../version/version-users.ts';

/** Observes in the cache what keeps a rollout. A kind that the controller does not watch counts as used. */
export function rolloutUse(cluster: ClusterCache, rollout: ConfigRollout): RolloutUse {
  const { kind, name } = rollout.spec.config;
  const { namespace = '', uid = '' } = rollout.metadata;
  const cache = cluster.configs[kind]?.cache;
  if (cache === undefined) return { configExists: true, referenced: true, inAdvance: true };
  // By label and not by `versionsOf`, because a version with damaged metadata is referenced, too.
  const copies = new Set([
    ...cache.keysBy('versionOf', uid),
    ...cache.keysBy('group', `${namespace}/${configLabelValue(name)}`),
  ]);
  const names = [...copies]
    .flatMap((key) => cache.get(key) ?? [])
    .filter((each) => each.namespace === namespace);
  return {
    configExists: configMetadataOf(cluster, namespace, kind, name) !== undefined,
    referenced: [{ kind, namespace, name }, ...names].some((object) => isReferenced(cluster, object)),
    inAdvance: isInAdvance(rollout, copies.size),
  };
}

/** Trimtab writes the ledger when it creates a rollout, and before the first version of a rollout that exists. */
export function isInAdvance({ metadata }: ConfigRollout, versions: number): boolean {
  return versions === 0 && metadata.annotations?.[annotations.ledger] === undefined;
}

function isReferenced(cluster: ClusterCache, object: Parameters<typeof versionUsers>[1]): boolean {
  const { pods, revisions, workloads } = versionUsers(cluster, object);
  return pods > 0 || revisions.length > 0 || workloads.length > 0;
}
