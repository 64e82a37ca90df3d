import type { KubeClient } from '@trimtab/kube/client.ts';
import { getIfExists } from '@trimtab/kube/get-if-exists.ts';
import { replicaSets } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { Workload } from '../../core/workload/reduce-workload.ts';
import { isWorkloadKind } from '../../core/workload/workload-key.ts';
import type { ClusterCache } from '../cache/cluster-cache.ts';
import { workloadAt } from '../cache/lookup.ts';

/**
 * Returns the Deployment, StatefulSet or DaemonSet that creates a pod; undefined for other pods. A ReplicaSet that was
 * just created may not be in the cache yet, so it is read then.
 */
export async function podOwner(
  cluster: ClusterCache,
  client: Pick<KubeClient, 'get'>,
  namespace: string,
  { metadata }: KubeObject,
  signal: AbortSignal,
): Promise<Workload | undefined> {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller);
  if (owner === undefined) return undefined;
  if (isWorkloadKind(owner.kind)) return workloadAt(cluster, namespace, `${owner.kind}/${owner.name}`);
  if (owner.kind !== 'ReplicaSet') return undefined;
  const cached = cluster.revisions.ReplicaSet.cache.get(`${namespace}/${owner.name}`);
  const name =
    cached?.uid === owner.uid ? cached.ownerName : await deploymentOf(client, namespace, owner.name, signal);
  return name === undefined || name === '' ? undefined : workloadAt(cluster, namespace, `Deployment/${name}`);
}

async function deploymentOf(
  client: Pick<KubeClient, 'get'>,
  namespace: string,
  name: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const options = { projection: 'metadata' as const, signal };
  const found = await getIfExists(client, replicaSets, { namespace, name }, options);
  return found?.metadata.ownerReferences?.find(({ controller }) => controller)?.name;
}
