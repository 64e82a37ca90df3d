import type { Change } from '@trimtab/kube/watch/store.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import { versionMetadata } from '../../core/version/version-metadata.ts';
import { hasSameWorkloads } from '../../core/workload/managed-workloads.ts';
import type { Workload } from '../../core/workload/reduce-workload.ts';
import type { ClusterCache } from '../cache/cluster-cache.ts';
import { configGroup, groupKey } from '../cache/config-group.ts';
import { type ConfigMetadata, isSameVersion, type Original } from '../cache/configs.ts';
import { originalName, rolloutManaging, rolloutOf, versionsOf, workloadAt } from '../cache/lookup.ts';
import type { Enqueue, Unsubscribe } from '../reconciler.ts';

/**
 * An edit whose content has no version yet: its version wakes the group. Without one, the status says why after this
 * time. A plan in between would only delay the version.
 */
const versionWaitMs = 100;

/** Calls `enqueue` with the key of each group of configs that a change in the cluster may affect. */
export function onGroupChange(cluster: ClusterCache, enqueue: Enqueue): Unsubscribe[] {
  const enqueueGroup = (rollout: ConfigRollout | undefined, delayMs?: number) => {
    if (rollout !== undefined) enqueue(groupKey(cluster, rollout), delayMs);
  };
  const enqueueConfig = (namespace: string, kind: ConfigKind, name: string) =>
    enqueueGroup(rolloutOf(cluster, namespace, kind, originalName(cluster, namespace, kind, name)));
  const onVersion = ({ before, after }: Change<ConfigMetadata>) => {
    // Ownership and retention handle owner references and the in-use label.
    if (before && after && isSameVersion(before, after, ['inUse', 'ownerReferences'])) return;
    const version = versionMetadata(after ?? before);
    if (version !== undefined)
      enqueueGroup(rolloutOf(cluster, version.namespace, version.kind, version.config));
  };
  const onOriginal = ({ before, after }: Change<Original>) => {
    const config = after ?? before;
    const rollout = config && rolloutOf(cluster, config.namespace, config.kind, config.name);
    if (config === undefined || rollout === undefined) return;
    const hasVersion = versionsOf(cluster, rollout).some(({ contentHash }) => contentHash === config.hash);
    enqueueGroup(rollout, after === undefined || hasVersion ? 0 : versionWaitMs);
  };
  const onWorkload = ({ before, after }: Change<Workload>) => {
    const workload = after ?? before;
    if (workload !== undefined) enqueueGroup(rolloutManaging(cluster, workload));
  };
  return [
    cluster.rollouts.subscribe(({ before, after }) => {
      enqueueGroup(after);
      // Rollouts that belonged to the group only through this one may be a separate group now.
      if (before === undefined || (after && hasSameWorkloads(before, after))) return;
      for (const other of configGroup(cluster, before)) enqueueGroup(other);
    }),
    ...Object.values(cluster.configs).flatMap((each) => each?.subscribe(onVersion) ?? []),
    ...Object.values(cluster.originals).flatMap((each) => each?.subscribe(onOriginal) ?? []),
    ...Object.values(cluster.workloads).map((each) => each.subscribe(onWorkload)),
    cluster.pods.subscribe(({ before, after }) => {
      const pod = after ?? before;
      for (const { kind, name } of pod?.references ?? []) enqueueConfig(pod?.namespace ?? '', kind, name);
    }),
    ...(cluster.namespaces
      ? [
          cluster.namespaces.subscribe(({ key }) => {
            for (const [, rollout] of cluster.rollouts.cache.entries())
              if (rollout.metadata.namespace === key) enqueueGroup(rollout);
          }),
        ]
      : []),
    ...(cluster.reports
      ? [
          cluster.reports.subscribe(({ before, after }) => {
            const report = after ?? before;
            const workload = report && workloadAt(cluster, report.namespace, report.workload);
            if (workload !== undefined) enqueueGroup(rolloutManaging(cluster, workload));
          }),
        ]
      : []),
    // Pods of a Deployment are found through its ReplicaSets, whose watch may deliver later than the watch of Pods.
    cluster.revisions.ReplicaSet.subscribe(({ before, after }) => {
      if (after === undefined || before?.ownerUid === after.ownerUid) return;
      for (const { kind, name } of after.references) enqueueConfig(after.namespace, kind, name);
    }),
  ];
}
