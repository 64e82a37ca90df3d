import type { KubeClient } from '@trimtab/kube/client.ts';
import {
  controllerRevisions,
  cronJobs,
  daemonSets,
  deployments,
  jobs,
  type Resource,
  replicaSets,
  replicationControllers,
  statefulSets,
} from '@trimtab/kube/resource.ts';
import { type ConfigRollout, configRollouts } from '../../api/config-rollout.ts';
import { resourceText } from '../../core/installation/caller-needs.ts';
import type { UsingObjects } from '../../core/version/version-users.ts';
import { listPermitted } from './list-permitted.ts';
import { listPods } from './list-pods.ts';

const workloads: readonly Resource[] = [deployments, statefulSets, daemonSets];
const creators: readonly Resource[] = [jobs, cronJobs, replicationControllers];
const revisions: readonly Resource[] = [replicaSets, controllerRevisions];

/** Lists all objects of a namespace that can use a version, with the rights of the client. */
export async function readUsingObjects(
  client: KubeClient,
  namespace: string,
  signal?: AbortSignal,
): Promise<UsingObjects & { /** Resources that the client may not list. */ hidden: string[] }> {
  const options = { namespace, ...(signal !== undefined && { signal }) };
  const list = (resources: readonly Resource[]) =>
    Promise.all(resources.map((resource) => listPermitted(client, resource, options)));
  const [pods, ofWorkloads, ofCreators, ofRevisions] = await Promise.all([
    listPods(client, namespace, signal),
    list(workloads),
    list(creators),
    list(revisions),
  ]);
  // Read last: a workload that was seen moved belongs to an activation that had begun before.
  const rollouts = await listPermitted<ConfigRollout>(client, configRollouts, options);
  const lists = [...ofWorkloads, ...ofCreators, ...ofRevisions, rollouts];
  return {
    workloads: ofWorkloads.flatMap((each) => each ?? []),
    creators: ofCreators.flatMap((each) => each ?? []),
    revisions: ofRevisions.flatMap((each) => each ?? []),
    pods: pods?.pods ?? [],
    reported: pods?.reported ?? new Map(),
    rollouts: rollouts ?? [],
    hidden: [
      ...(pods === undefined ? ['pods'] : pods.hidden),
      ...[...workloads, ...creators, ...revisions, configRollouts]
        .filter((_, index) => lists[index] === undefined)
        .map(({ plural, group }) => resourceText({ resource: plural, group })),
    ],
  };
}
