import { apiVersion, workloadResources } from '@trimtab/kube/resource.ts';
import type { OwnerReference } from '@trimtab/kube/wire.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import type { Workload } from '../../core/workload/reduce-workload.ts';
import { configNamed, workloadAt } from '../cache/lookup.ts';
import type { ControllerContext } from '../context.ts';
import { workloadsToUpdate } from '../workload/adoption-of.ts';

/** The most workloads that own a version from its creation. The references fit beside 1 MiB of content. */
const maxAssignees = 200;

/** Returns the workloads that a new version is about to be assigned to, as its owners. */
export function assignees(
  context: Pick<ControllerContext, 'cluster' | 'reloaderAnnotations'>,
  rollout: ConfigRollout,
): OwnerReference[] {
  const { cluster } = context;
  const { kind, name } = rollout.spec.config;
  const { namespace = '' } = rollout.metadata;
  return workloadsToUpdate(context, rollout)
    .flatMap((key) => workloadAt(cluster, namespace, key) ?? [])
    .filter(({ deleting }) => !deleting)
    .filter(({ references }) =>
      references.some((each) => each.kind === kind && configNamed(cluster, namespace, each) === name),
    )
    .slice(0, maxAssignees)
    .map(workloadOwner);
}

/** `blockOwnerDeletion` is not set: a version must never block the deletion of a workload. */
export function workloadOwner({ kind, name, uid }: Pick<Workload, 'kind' | 'name' | 'uid'>): OwnerReference {
  return { apiVersion: apiVersion(workloadResources[kind]), kind, name, uid };
}
