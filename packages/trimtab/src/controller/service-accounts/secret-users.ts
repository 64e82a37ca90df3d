import type { ConfigRollout } from '../../api/config-rollout.ts';
import { secretWorkloads } from '../../core/workload/mountable-secrets.ts';
import type { Workload } from '../../core/workload/reduce-workload.ts';
import type { ClusterCache } from '../cache/cluster-cache.ts';
import { workloadAt } from '../cache/lookup.ts';

/** The workloads that use a managed Secret of these rollouts. */
export function secretUsers(cluster: ClusterCache, rollouts: readonly ConfigRollout[]): Workload[] {
  return rollouts.flatMap((rollout) =>
    secretWorkloads([rollout]).flatMap(
      (key) => workloadAt(cluster, rollout.metadata.namespace ?? '', key) ?? [],
    ),
  );
}
