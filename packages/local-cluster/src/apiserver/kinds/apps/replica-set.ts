import type { FieldError } from '../../errors/field-error.ts';
import { ageColumn, nameColumn } from '../../representation/columns.ts';
import { defineKind } from '../define-kind.ts';
import {
  defaultTemplate,
  podNameWarnings,
  selectorIsImmutable,
  templateWarnings,
  validateLimits,
  validateWorkload,
  type Workload,
  workloadName,
} from './workload.ts';
import { containersColumn, imagesColumn, selectorColumn } from './workload-columns.ts';
import { replicaSetStatus, validateWorkloadStatus } from './workload-status.ts';

interface ReplicaSet extends Workload {
  status: { replicas: number; readyReplicas?: number };
}

export const replicaSet = defineKind<ReplicaSet>({
  group: 'apps',
  kind: 'ReplicaSet',
  plural: 'replicasets',
  shortNames: ['rs'],
  categories: ['all'],
  storageVersionHash: 'P1RzHs8/mWQ=',
  definition: 'io.k8s.api.apps.v1.ReplicaSet',
  hasGeneration: true,
  hasStatus: true,
  hasScale: true,
  strategy: {
    nameRule: workloadName,
    defaults(object) {
      defaultTemplate(object);
      object.spec.replicas ??= 1;
    },
    prepareForCreate(object) {
      object.status = { replicas: 0 };
    },
    warnings: (object, old) => [...podNameWarnings(object, old), ...templateWarnings(object)],
    validateStatus: (object, old) => validateWorkloadStatus(object, old, replicaSetStatus),
    validate,
    validateUpdate: (object, old) => [...validate(object), ...selectorIsImmutable(object, old)],
  },
  columns: [
    nameColumn,
    { name: 'Desired', type: 'integer', value: ({ spec }) => spec.replicas ?? 0 },
    { name: 'Current', type: 'integer', value: ({ status }) => status.replicas },
    { name: 'Ready', type: 'integer', value: ({ status }) => status.readyReplicas ?? 0 },
    ageColumn,
    containersColumn,
    imagesColumn,
    selectorColumn,
  ],
  selectableFields: { 'status.replicas': ({ status }) => String(status.replicas) },
});

function validate(object: ReplicaSet): FieldError[] {
  return [...validateWorkload(object), ...validateLimits(object)];
}
