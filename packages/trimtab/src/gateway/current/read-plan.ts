import type { KubeClient } from '@trimtab/kube/client.ts';
import { listAll } from '@trimtab/kube/paging.ts';
import { daemonSets, deployments, type Resource, statefulSets } from '@trimtab/kube/resource.ts';
import { isForbidden } from '@trimtab/kube/transport/errors.ts';
import type { ConfigBody } from '../../api/config-body.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import type { VersionMetadata } from '../../core/version/version-metadata.ts';
import { readVersion } from '../../versions/read-config.ts';
import { type ActivationPlan, activationPlan, type PlannedObject } from '../../view/activation-plan.ts';
import { readCurrentVersion } from '../versions/reads/read-current-version.ts';

const kinds: readonly Resource[] = [deployments, statefulSets, daemonSets];

/**
 * The response to `?dryRun=All`. All reads use the caller's credentials; resources that the caller may not list are
 * named in the result.
 */
export async function readPlan(
  client: KubeClient,
  address: ConfigAddress,
  rollout: ConfigRollout,
  target: { version: VersionMetadata; body: ConfigBody },
  signal: AbortSignal,
): Promise<ActivationPlan> {
  const now = (await readCurrentVersion(client, address, rollout, signal))?.name;
  const [current, ...lists] = await Promise.all([
    now === undefined ? undefined : readVersion(client, address, rollout, now, signal),
    ...kinds.map((resource) => listed(client, resource, address.namespace, signal)),
  ]);
  return activationPlan({
    rollout,
    target,
    current,
    workloads: lists.flatMap((list) => list ?? []),
    hidden: kinds.filter((_, index) => lists[index] === undefined).map(({ plural }) => plural),
  });
}

/** Returns undefined when the caller may not list the resource. */
async function listed(
  client: KubeClient,
  resource: Resource,
  namespace: string,
  signal: AbortSignal,
): Promise<PlannedObject[] | undefined> {
  let found: PlannedObject[] = [];
  try {
    for await (const page of listAll<PlannedObject>(client, resource, { namespace, signal })) {
      if (page.type === 'restart') found = [];
      else found.push(...page.items);
    }
    return found;
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}
