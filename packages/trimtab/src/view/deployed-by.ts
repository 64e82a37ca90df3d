import type { ObjectMeta } from '@trimtab/kube/wire.ts';
import { annotations } from '../api/names.ts';

/**
 * Warns about programs that write the workload again: each of them may remove an annotation that is not in its own source,
 * or put the references of the pod template back.
 */
export function deployedBy({
  labels = {},
  annotations: its = {},
  ownerReferences = [],
}: ObjectMeta): string[] {
  const controller = ownerReferences.find((owner) => owner.controller);
  const release = its['meta.helm.sh/release-name'];
  const argo = its['argocd.argoproj.io/tracking-id']?.split(':')[0] ?? labels['argocd.argoproj.io/instance'];
  const flux = labels['kustomize.toolkit.fluxcd.io/name'] ?? labels['helm.toolkit.fluxcd.io/name'];
  const inSource = `add the annotation ${annotations.manage} to`;
  return [
    ...(controller
      ? [`${controller.kind} ${controller.name} controls the workload, and may revert changes to it`]
      : []),
    ...(release === undefined
      ? []
      : [`Helm release ${release} installs the workload: ${inSource} the chart, too`]),
    ...(argo === undefined
      ? []
      : [
          `Argo CD application ${argo} syncs the workload: ${inSource} its source, and exclude the references to configs with ignoreDifferences`,
        ]),
    ...(flux === undefined ? [] : [`Flux (${flux}) applies the workload: ${inSource} its source, too`]),
  ];
}
