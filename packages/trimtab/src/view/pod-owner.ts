import type { ObjectMeta } from '@trimtab/kube/wire.ts';

/** The label of a Deployment's pods and ReplicaSets, which is also the end of the ReplicaSet's name. */
const templateHash = 'pod-template-hash';

/** The object that controls a pod: `Deployment`, `StatefulSet`, `DaemonSet`, `Job`, or the pod itself. */
export interface PodOwner {
  kind: string;
  name: string;
}

/**
 * Finds the owner of a pod from the pod alone. The ReplicaSet of a Deployment is named after the Deployment and the hash
 * of the pod template, so ReplicaSets need not be listed.
 */
export function ownerOfPod({ name = '', labels = {}, ownerReferences = [] }: ObjectMeta): PodOwner {
  const owner = ownerReferences.find(({ controller }) => controller);
  if (owner === undefined) return { kind: 'Pod', name };
  const suffix = `-${labels[templateHash]}`;
  if (owner.kind === 'ReplicaSet' && owner.name.endsWith(suffix))
    return { kind: 'Deployment', name: owner.name.slice(0, -suffix.length) };
  return { kind: owner.kind, name: owner.name };
}
