import { apiVersion, type Resource } from '@trimtab/kube/resource.ts';
import type { KubeObject, OwnerReference } from '@trimtab/kube/wire.ts';
import type { Pod, PodTemplate } from '../../objects/pod.ts';

/** The owner reference that makes `owner` the controller of an object. */
export function controllerReference(resource: Resource, owner: KubeObject): OwnerReference {
  const { name = '', uid = '' } = owner.metadata;
  return {
    apiVersion: apiVersion(resource),
    kind: resource.kind,
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** A pod from this template, with generateName derived from its owner. */
export function podFrom(template: PodTemplate, resource: Resource, owner: KubeObject): Pod {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      generateName: `${owner.metadata.name}-`,
      namespace: owner.metadata.namespace ?? '',
      ...(labels && { labels: { ...labels } }),
      ...(annotations && { annotations: { ...annotations } }),
      ...(finalizers && { finalizers: [...finalizers] }),
      ownerReferences: [controllerReference(resource, owner)],
    },
    spec: structuredClone(template.spec),
  };
}
