import type { ConfigRollout } from '../../api/config-rollout.ts';
import { managedWorkloads } from '../../core/workload/managed-workloads.ts';
import type { ClusterCache } from './cluster-cache.ts';
import { keyOfRollout } from './lookup.ts';

/**
 * All rollouts that are tied together by workloads they share, be it through others: what can become one
 * activation. Unrelated configs of a namespace are looked at side by side.
 */
export function configGroup(cluster: ClusterCache, start: ConfigRollout): ConfigRollout[] {
  const { cache } = cluster.rollouts;
  const { namespace = '' } = start.metadata;
  const found = new Map([[`${namespace}/${start.metadata.name}`, start]]);
  // A Map can grow while it is walked: each rollout that is found brings those that share a workload with it.
  for (const rollout of found.values()) {
    for (const workload of managedWorkloads(rollout)) {
      for (const key of cache.keysBy('workload', `${namespace}/${workload}`)) {
        const other = cache.get(key);
        if (other !== undefined && !found.has(key)) found.set(key, other);
      }
    }
  }
  return [...found.values()];
}

/** The key under which a group is looked at: that of its first rollout, so that all its members have the same. */
export function groupKey(cluster: ClusterCache, rollout: ConfigRollout): string {
  const [first = rollout] = configGroup(cluster, rollout).sort((a, b) =>
    keyOfRollout(a) < keyOfRollout(b) ? -1 : 1,
  );
  return `${first.metadata.namespace}/${first.metadata.name}`;
}
