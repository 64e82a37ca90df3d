import type { ConfigRollout } from '../../api/config-rollout.ts';
import { managedWorkloads } from '../../core/workload/managed-workloads.ts';
import type { Workload } from '../../core/workload/reduce-workload.ts';
import type { ClusterCache } from '../cache/cluster-cache.ts';
import { workloadAt } from '../cache/lookup.ts';

/** The workloads that use a managed Secret of these rollouts. */
export function secretUsers(cluster: ClusterCache, rollouts: readonly ConfigRollout[]): Workload[] {
  const ofSecrets = rollouts.filter(({ spec }) => spec.config.kind === 'Secret');
  return ofSecrets.flatMap((rollout) =>
    managedWorkloads(rollout).flatMap(
      (key) => workloadAt(cluster, rollout.metadata.namespace ?? '', key) ?? [],
    ),
  );
}
