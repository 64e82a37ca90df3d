import { deployments } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import type { BenchContext } from './row.ts';

interface DeploymentStatus extends KubeObject {
  status?: { observedGeneration?: number; updatedReplicas?: number; availableReplicas?: number };
}

/** Waits until Kubernetes has rolled out the latest template of each Deployment to this number of pods. */
export async function untilRolledOut(
  { client, namespace, signal }: BenchContext,
  replicas: number,
): Promise<void> {
  const isRolledOut = ({ metadata, status }: DeploymentStatus) =>
    status?.observedGeneration === metadata.generation &&
    (status?.updatedReplicas ?? 0) === replicas &&
    (status?.availableReplicas ?? 0) === replicas;
  await waitFor(
    'the rollout of all Deployments',
    async () => {
      const { items } = await client.list<DeploymentStatus>(deployments, { namespace, signal });
      const left = items.filter((item) => !isRolledOut(item));
      return left.length === 0 ? { met: true } : { seen: `${left.length} are not rolled out` };
    },
    { timeoutMs: 600_000, everyMs: 500 },
  );
}
