import { annotations, labels } from '../../api/names.ts';
import type { PodTemplate } from '../../api/pod-template.ts';
import type { Original } from './original.ts';

/** Marks the pod as injected, and records the values that the marks replace. */
export function changeMetadata(pod: PodTemplate, record: Original, workload: string | undefined): void {
  pod.metadata ??= {};
  const { metadata } = pod;
  const label = metadata.labels?.[labels.injected];
  const annotation = metadata.annotations?.[annotations.workload];
  if (label !== undefined) record.injectedLabel = label;
  if (annotation !== undefined) record.workloadAnnotation = annotation;
  metadata.labels = { ...metadata.labels, [labels.injected]: 'true' };
  if (workload !== undefined)
    metadata.annotations = { ...metadata.annotations, [annotations.workload]: workload };
}
