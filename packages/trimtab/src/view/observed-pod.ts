import type { KubeObject } from '@trimtab/kube/wire.ts';
import { type Pod, pod } from '../core/workload/observe-pod.ts';
import { ownerOfPod, type PodOwner } from './pod-owner.ts';

/** A pod, reduced to what a tree shows of it. */
export interface TreePod extends Pod {
  owner: PodOwner;
  createdAt: string | undefined;
  /** When the pod became Ready; undefined for a pod that is not Ready. */
  readySince: string | undefined;
}

interface PodObject extends KubeObject {
  status?: { conditions?: { type: string; status: string; lastTransitionTime?: string }[] };
}

export function treePod(object: KubeObject): TreePod {
  const { metadata, status } = object as PodObject;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return {
    ...pod(object),
    owner: ownerOfPod(metadata),
    createdAt: metadata.creationTimestamp,
    readySince: ready?.status === 'True' ? ready.lastTransitionTime : undefined,
  };
}
