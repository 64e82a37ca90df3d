import type { KubeClient } from '@trimtab/kube/client.ts';
import { apiVersion, workloadResources } from '@trimtab/kube/resource.ts';
import type { KubeObject, OwnerReference } from '@trimtab/kube/wire.ts';
import type { PodTemplate } from '../../api/pod-template.ts';
import { findReferences } from '../../core/references/references.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { namesOfConfig } from '../cluster/names-of-config.ts';
import { type ConfigArgument, typedName, type WorkloadArgument } from '../object-argument.ts';

export interface WorkloadObject extends KubeObject {
  spec?: { template?: PodTemplate };
}

/** A workload that owns configs, or will. */
export interface Owner {
  workload: WorkloadArgument;
  reference: OwnerReference;
  template: PodTemplate;
}

/** Throws the 404 of the API server when the workload does not exist. */
export async function readOwner(
  { client, namespace }: { client: KubeClient; namespace: string },
  workload: WorkloadArgument,
): Promise<Owner> {
  const { kind, name } = workload;
  const resource = workloadResources[kind];
  const { metadata, spec } = await client.get<WorkloadObject>(resource, { namespace, name });
  return {
    workload,
    // Without blockOwnerDeletion, which would need the right to update the finalizers of the workload.
    reference: { apiVersion: apiVersion(resource), kind, name, uid: metadata.uid ?? '' },
    template: spec?.template ?? {},
  };
}

/** Whether the pod template of the workload references the config or one of its versions. */
export async function usesConfig(
  { client, namespace }: Cluster,
  { template }: Owner,
  config: ConfigArgument,
  warn: (text: string) => void,
): Promise<boolean> {
  const names = await namesOfConfig(client, { ...config, namespace }, template, warn);
  return findReferences(template).some(({ kind, name }) => kind === config.kind && names.has(name));
}

/** What an owner means for its config, and what is missing until Trimtab manages the config. */
export function ownerWarnings(
  { workload }: Owner,
  config: ConfigArgument,
  references: readonly OwnerReference[],
  isUsed: boolean,
): string[] {
  const [owner, owned, type] = [typedName(workload), typedName(config), config.kind.toLowerCase()];
  return [
    references.length > 1
      ? `Kubernetes deletes ${owned} when the last of its owners is deleted: ${references.map(typedName).join(', ')}`
      : `${owner} owns ${owned} now: when ${owner} is deleted, Kubernetes deletes ${owned}, too`,
    ...(isUsed
      ? []
      : [
          `${owner} does not use ${owned} yet, so Trimtab does not manage it; mount it with \`trimtab set volume ${owner} -t ${type} --${type}name ${config.name}\``,
        ]),
  ];
}
