import type { KubeClient } from '@trimtab/kube/client.ts';
import {
  controllerRevisions,
  daemonSets,
  deployments,
  type Resource,
  replicaSets,
  statefulSets,
} from '@trimtab/kube/resource.ts';
import { type ConfigRollout, configRollouts } from '../../api/config-rollout.ts';
import type { UsingObjects } from '../../core/version/version-users.ts';
import { listPermitted } from './list-permitted.ts';
import { listPods } from './list-pods.ts';

const workloads: readonly Resource[] = [deployments, statefulSets, daemonSets];
const revisions: readonly Resource[] = [replicaSets, controllerRevisions];

/** Lists all objects of a namespace that can use a version, with the rights of the client. */
export async function readUsingObjects(
  client: KubeClient,
  namespace: string,
): Promise<UsingObjects & { /** Resources that the client may not list. */ hidden: string[] }> {
  const list = (resources: readonly Resource[]) =>
    Promise.all(resources.map((resource) => listPermitted(client, resource, { namespace })));
  const [pods, ofWorkloads, ofRevisions] = await Promise.all([
    listPods(client, namespace),
    list(workloads),
    list(revisions),
  ]);
  // Read last: a workload that was seen moved belongs to an activation that had begun before.
  const rollouts = await listPermitted<ConfigRollout>(client, configRollouts, { namespace });
  const lists = [...ofWorkloads, ...ofRevisions, rollouts];
  return {
    workloads: ofWorkloads.flatMap((each) => each ?? []),
    revisions: ofRevisions.flatMap((each) => each ?? []),
    pods: pods?.pods ?? [],
    reported: pods?.reported ?? new Map(),
    rollouts: rollouts ?? [],
    hidden: [
      ...(pods === undefined ? ['pods'] : pods.hidden),
      ...[...workloads, ...revisions, configRollouts]
        .filter((_, index) => lists[index] === undefined)
        .map(({ plural, group }) => `${plural}.${group}`),
    ],
  };
}
