import type { KubeObject } from '@trimtab/kube/wire.ts';
import { annotations, labels } from '../../api/names.ts';
import type { Reference } from '../references/references.ts';
import type { WorkloadKind } from './observed.ts';
import { workload as reduceWorkload, type Workload } from './reduce-workload.ts';

/** What admission makes of the pod template of a request. */
export interface AdmittedTemplate {
  references: Reference[];
  /** The value of the label `trimtab.dev/assigned`. */
  label: string;
}

/**
 * The workload of a request as it is admitted. Its status and the record of its assignment are those of the stored object: the
 * API server discards a status in the request only after admission, and only Trimtab writes the record.
 */
export function admittedWorkload(
  kind: WorkloadKind,
  object: KubeObject,
  oldObject: KubeObject | undefined,
  { references, label }: AdmittedTemplate,
): Workload {
  const { status } = { status: undefined, ...oldObject };
  const admitted = reduceWorkload(kind)({ ...object, status } as KubeObject);
  const { [annotations.assignment]: _, ...notes } = admitted.annotations;
  const record = oldObject?.metadata.annotations?.[annotations.assignment];
  return {
    ...admitted,
    references,
    labels: { ...admitted.labels, [labels.assigned]: label },
    annotations: { ...notes, ...(record !== undefined && { [annotations.assignment]: record }) },
  };
}
