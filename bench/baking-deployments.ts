import { deployments } from '@trimtab/kube/resource.ts';
import { configRollouts } from 'trimtab/api/config-rollout.ts';
import { inParallel } from './managed-deployments.ts';
import type { BenchContext } from './row.ts';

/** Longer than a row takes, so that no version becomes current before the row ends. */
const bakeSeconds = 3_600;

/** Makes all versions from now on bake until the end of the row. */
export async function bakeForLong(
  { client, namespace, signal }: BenchContext,
  names: readonly string[],
): Promise<void> {
  await inParallel(names, async (name) => {
    const body = { spec: { strategy: { bakeSeconds } } };
    const where = { namespace, name: `configmap-${name}` };
    await client.patch(configRollouts, where, { type: 'merge', body }, { signal });
  });
}

/** Gives each Deployment one pod. A workload without pods has nothing to bake. */
export async function scaleToOne(
  { client, namespace, signal }: BenchContext,
  names: readonly string[],
): Promise<void> {
  await inParallel(names, async (name) => {
    const patch = { type: 'merge' as const, body: { spec: { replicas: 1 } } };
    await client.patch(deployments, { namespace, name }, patch, { signal });
  });
}
