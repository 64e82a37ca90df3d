import { statefulSets } from '@trimtab/kube/resource.ts';
import type { Pod, PodTemplate } from '../../objects/pod.ts';
import type { ControllerRevision, StatefulSet } from '../../objects/workloads.ts';
import { podFrom } from '../pods/new-pod.ts';
import { templateOf } from '../revisions/revision-data.ts';

const revisionLabel = 'controller-revision-hash';
const nameLabel = 'statefulset.kubernetes.io/pod-name';
const indexLabel = 'apps.kubernetes.io/pod-index';

/** The ordinal in the pod's name: 3 for `web-3` of `web`. Undefined when the name does not belong to the set. */
export function ordinalOf(set: StatefulSet, { metadata }: Pod): number | undefined {
  const match = /^(.*)-(0|[1-9]\d*)$/.exec(metadata.name ?? '');
  return match?.[1] === set.metadata.name ? Number(match?.[2]) : undefined;
}

export function revisionOf({ metadata }: Pod): string | undefined {
  return metadata.labels?.[revisionLabel];
}

/** The pod for one ordinal, from the template of a revision. */
export function statefulPod(set: StatefulSet, ordinal: number, revision: ControllerRevision): Pod {
  const name = `${set.metadata.name}-${ordinal}`;
  const template: PodTemplate = templateOf(revision);
  const pod = podFrom(template, statefulSets, set);
  const { generateName: _, ...metadata } = pod.metadata;
  return {
    ...pod,
    metadata: {
      ...metadata,
      name,
      labels: {
        ...metadata.labels,
        [nameLabel]: name,
        [indexLabel]: String(ordinal),
        [revisionLabel]: revision.metadata.name ?? '',
      },
    },
    spec: {
      ...pod.spec,
      hostname: name,
      ...(set.spec.serviceName && { subdomain: set.spec.serviceName }),
    },
  };
}
