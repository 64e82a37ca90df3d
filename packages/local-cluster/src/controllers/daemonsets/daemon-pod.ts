import { daemonSets } from '@trimtab/kube/resource.ts';
import type { Pod, PodSpec, Toleration } from '../../objects/pod.ts';
import type { DaemonSet } from '../../objects/workloads.ts';
import { podFrom } from '../pods/new-pod.ts';

export const hashLabel = 'controller-revision-hash';
const generationLabel = 'pod-template-generation';
const generationAnnotation = 'deprecated.daemonset.template.generation';

/** Daemon pods stay on nodes with problems: many of them monitor the node. */
const alwaysTolerated: readonly Toleration[] = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
];

const networkTolerated: Toleration = {
  key: 'node.kubernetes.io/network-unavailable',
  operator: 'Exists',
  effect: 'NoSchedule',
};

/** The template's pod spec with the default tolerations of daemon pods. */
export function daemonSpec(spec: PodSpec): PodSpec {
  const added = [...alwaysTolerated, ...(spec.hostNetwork ? [networkTolerated] : [])];
  const isSame = (a: Toleration, b: Toleration) =>
    a.key === b.key && a.operator === b.operator && a.effect === b.effect;
  const own = (spec.tolerations ?? []).filter((each) => !added.some((other) => isSame(each, other)));
  return { ...spec, tolerations: [...own, ...added] };
}

/** A pod for one node: its node affinity names the node, and the scheduler binds it. */
export function daemonPod(set: DaemonSet, node: string, hash: string): Pod {
  const { template } = set.spec;
  const pod = podFrom({ ...template, spec: daemonSpec(template.spec) }, daemonSets, set);
  const generation = set.metadata.annotations?.[generationAnnotation];
  pod.metadata.labels = {
    ...pod.metadata.labels,
    ...(generation !== undefined && { [generationLabel]: generation }),
    [hashLabel]: hash,
  };
  const term = { matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] };
  pod.spec.affinity = {
    ...(pod.spec.affinity as object | undefined),
    nodeAffinity: {
      ...(pod.spec.affinity as { nodeAffinity?: object } | undefined)?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] },
    },
  };
  return pod;
}

/** The node that the pod runs on or is meant for. */
export function nodeOf({ spec }: Pod): string | undefined {
  if (spec.nodeName) return spec.nodeName;
  const { nodeAffinity } = (spec.affinity ?? {}) as {
    nodeAffinity?: {
      requiredDuringSchedulingIgnoredDuringExecution?: {
        nodeSelectorTerms?: { matchFields?: { key: string; values?: string[] }[] }[];
      };
    };
  };
  const terms = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return terms.flatMap(({ matchFields = [] }) =>
    matchFields.flatMap(({ key, values = [] }) => (key === 'metadata.name' ? values : [])),
  )[0];
}

/** Whether the pod has the current template. */
export function isUpdated({ metadata }: Pod, set: DaemonSet, hash: string): boolean {
  const generation = set.metadata.annotations?.[generationAnnotation];
  const labels = metadata.labels ?? {};
  return labels[hashLabel] === hash || (generation !== undefined && labels[generationLabel] === generation);
}
