import { labels } from '../../api/names.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import type { KeptVersion } from '../../core/retention/retention.ts';
import { type ClusterCache, referenceKey } from '../cache/cluster-cache.ts';
import type { ConfigMetadata } from '../cache/configs.ts';
import { workloadsNaming } from '../cache/lookup.ts';
import type { Revision } from '../cache/revisions.ts';
import type { Workload } from '../cache/workloads.ts';

/** Everything that names one ConfigMap or Secret, whatever its state: what is being deleted still runs with it. */
interface VersionUsers {
  /** How many: a whole fleet can share one version. */
  pods: number;
  /** Those of lone ReplicaSets, too. */
  revisions: Revision[];
  /** By their templates: no pod or revision may have come of it yet. */
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

/** The label counts, too: as long as it is there, the guard does not let the version be deleted. */
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
