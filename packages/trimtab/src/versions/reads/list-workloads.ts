import type { KubeClient } from '@trimtab/kube/client.ts';
import { daemonSets, deployments, type Resource, statefulSets } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { listPermitted } from './list-permitted.ts';

const kinds: readonly Resource[] = [deployments, statefulSets, daemonSets];

export interface ListedWorkloads<Workload> {
  workloads: Workload[];
  /** Resources that the client may not list, such as `deployments`. */
  hidden: string[];
}

/** Lists the workloads of a namespace, or of all namespaces, with the rights of the client. */
export async function listWorkloads<Workload extends KubeObject>(
  client: KubeClient,
  namespace: string | undefined,
  signal: AbortSignal,
  labelSelector?: string,
): Promise<ListedWorkloads<Workload>> {
  const lists = await Promise.all(
    kinds.map((resource) =>
      listPermitted<Workload>(client, resource, {
        ...(namespace !== undefined && { namespace }),
        ...(labelSelector !== undefined && { labelSelector }),
        signal,
      }),
    ),
  );
  return {
    workloads: lists.flatMap((list) => list ?? []),
    hidden: kinds.filter((_, index) => lists[index] === undefined).map(({ plural }) => plural),
  };
}
