import type { KubeClient } from '@trimtab/kube/client.ts';
import { listAll } from '@trimtab/kube/paging.ts';
import { daemonSets, deployments, type Resource, statefulSets } from '@trimtab/kube/resource.ts';
import { isForbidden } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';

const kinds: readonly Resource[] = [deployments, statefulSets, daemonSets];

export interface ListedWorkloads<Workload> {
  workloads: Workload[];
  /** Resources that the client may not list, such as `deployments`. */
  hidden: string[];
}

/** Lists the workloads of a namespace with the rights of the client. */
export async function listWorkloads<Workload extends KubeObject>(
  client: KubeClient,
  namespace: string,
  signal: AbortSignal,
): Promise<ListedWorkloads<Workload>> {
  const lists = await Promise.all(
    kinds.map((resource) => listed<Workload>(client, resource, namespace, signal)),
  );
  return {
    workloads: lists.flatMap((list) => list ?? []),
    hidden: kinds.filter((_, index) => lists[index] === undefined).map(({ plural }) => plural),
  };
}

/** Returns undefined when the client may not list the resource. */
async function listed<Workload extends KubeObject>(
  client: KubeClient,
  resource: Resource,
  namespace: string,
  signal: AbortSignal,
): Promise<Workload[] | undefined> {
  let found: Workload[] = [];
  try {
    for await (const page of listAll<Workload>(client, resource, { namespace, signal })) {
      if (page.type === 'restart') found = [];
      else found.push(...page.items);
    }
    return found;
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}
