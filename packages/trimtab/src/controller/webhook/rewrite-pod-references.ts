import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { PodTemplate } from '../../api/pod-template.ts';
import { assignedNames } from '../../core/references/rewrite-pod.ts';
import type { AdmissionRequest, Mutation } from './admission-review.ts';

/** Writes the versions that its annotation assigns into a pod. A pod whose annotation is not valid is refused by a policy. */
export function rewritePodReferences({ object }: AdmissionRequest<KubeObject & PodTemplate>): Mutation {
  return {
    patch: assignedNames(object).map(({ pointer, name }) => ({ op: 'replace', path: pointer, value: name })),
    warnings: [],
  };
}
