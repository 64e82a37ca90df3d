import { labels } from '../../api/names.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import type { KeptVersion } from '../../core/retention/retention.ts';
import type { Workload } from '../../core/workload/reduce-workload.ts';
import { type ClusterCache, referenceKey } from '../cache/cluster-cache.ts';
import type { ConfigMetadata } from '../cache/configs.ts';
import { workloadsNaming } from '../cache/lookup.ts';
import type { Revision } from '../cache/revisions.ts';

/** Objects that reference a ConfigMap or Secret, including objects that are being deleted, which still use it. */
interface VersionUsers {
  /** Only a count, because many pods can share one version. */
  pods: number;
  /** Includes ReplicaSets without a Deployment. */
  revisions: Revision[];
  /** Workloads whose pod template references it; their pods and revisions may not exist yet. */
  workloads: Workload[];
}

export function versionUsers(
  cluster: ClusterCache,
  { kind, namespace, name }: { kind: ConfigKind; namespace: string; name: string },
): VersionUsers {
  const key = referenceKey(namespace, kind, name);
  return {
    pods: cluster.pods.cache.keysBy('reference', key).size,
    revisions: Object.values(cluster.revisions).flatMap(({ cache }) =>
      [...cache.keysBy('reference', key)].flatMap((each) => cache.get(each) ?? []),
    ),
    workloads: workloadsNaming(cluster, namespace, kind, name),
  };
}

/** The in-use label counts as a user: while it is set, the admission policy denies deletion of the version. */
export function usersOf(
  { ownerReferences, labels: marks }: Pick<ConfigMetadata, 'ownerReferences' | 'labels'>,
  { pods, revisions, workloads }: VersionUsers,
): KeptVersion['users'] {
  if (pods > 0 || workloads.length > 0) return 'others';
  if (revisions.length === 0) return marks[labels.inUse] === undefined ? 'none' : 'leaving';
  const owners = new Set(ownerReferences.map(({ uid }) => uid));
  if (!revisions.every(({ uid }) => owners.has(uid))) return 'others';
  return revisions.some(({ deleting }) => !deleting) ? 'owners' : 'leaving';
}
