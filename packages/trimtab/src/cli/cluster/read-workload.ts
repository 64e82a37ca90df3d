import type { KubeClient } from '@trimtab/kube/client.ts';
import { workloadResources } from '@trimtab/kube/resource.ts';
import type { PlannedObject } from '../../view/activation-plan.ts';
import type { WorkloadArgument } from '../object-argument.ts';

export async function readWorkload(
  client: KubeClient,
  namespace: string,
  { kind, name }: Pick<WorkloadArgument, 'kind' | 'name'>,
): Promise<PlannedObject> {
  const workload = await client.get<PlannedObject>(workloadResources[kind], { namespace, name });
  // Kubernetes omits the kind in some responses.
  return { ...workload, kind };
}
