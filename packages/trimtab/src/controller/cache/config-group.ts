import type { ConfigRollout } from '../../api/config-rollout.ts';
import { managedWorkloads } from '../../core/workload/managed-workloads.ts';
import type { ClusterCache } from './cluster-cache.ts';
import { keyOfRollout } from './lookup.ts';

/**
 * Returns all rollouts that share workloads with `start`, directly or through other rollouts. The rollouts of a group
 * can become one activation. Groups are reconciled concurrently.
 */
export function configGroup(cluster: ClusterCache, start: ConfigRollout): ConfigRollout[] {
  const { cache } = cluster.rollouts;
  const { namespace = '' } = start.metadata;
  const found = new Map([[`${namespace}/${start.metadata.name}`, start]]);
  // Iterating over a Map includes entries that the loop adds, so the loop finds the transitive closure.
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

/** The queue key of a group: the key of its first rollout in sort order, the same for all members. */
export function groupKey(cluster: ClusterCache, rollout: ConfigRollout): string {
  const [first = rollout] = configGroup(cluster, rollout).sort((a, b) =>
    keyOfRollout(a) < keyOfRollout(b) ? -1 : 1,
  );
  return `${first.metadata.namespace}/${first.metadata.name}`;
}
