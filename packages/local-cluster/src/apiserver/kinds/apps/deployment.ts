import { type FieldError, forbiddenField, invalid, notSupported } from '../../errors/field-error.ts';
import { equal } from '../../object.ts';
import { ageColumn, nameColumn } from '../../representation/columns.ts';
import { defineKind } from '../define-kind.ts';
import {
  defaultTemplate,
  isNothing,
  podNameWarnings,
  selectorIsImmutable,
  templateWarnings,
  validateAmount,
  validateLimits,
  validateWorkload,
  type Workload,
  type WorkloadSpec,
  workloadName,
} from './workload.ts';
import { containersColumn, imagesColumn, selectorColumn } from './workload-columns.ts';
import { deploymentStatus, validateWorkloadStatus } from './workload-status.ts';

interface RollingUpdate {
  maxUnavailable?: number | string;
  maxSurge?: number | string;
}

interface Deployment extends Workload {
  spec: WorkloadSpec & {
    strategy: { type?: string; rollingUpdate?: RollingUpdate };
    progressDeadlineSeconds?: number;
  };
  status: { replicas?: number; readyReplicas?: number; updatedReplicas?: number; availableReplicas?: number };
}

export const deployment = defineKind<Deployment>({
  group: 'apps',
  kind: 'Deployment',
  plural: 'deployments',
  shortNames: ['deploy'],
  categories: ['all'],
  storageVersionHash: '8aSe+NMegvE=',
  definition: 'io.k8s.api.apps.v1.Deployment',
  hasGeneration: true,
  hasStatus: true,
  hasScale: true,
  strategy: {
    nameRule: workloadName,
    defaults,
    prepareForCreate(object) {
      object.status = {};
    },
    // Annotations of a Deployment are copied to its ReplicaSets, so the controller has to act on their changes.
    isNewGeneration: ({ metadata }, { metadata: old }) =>
      !equal(metadata.annotations ?? {}, old.annotations ?? {}),
    prepareForStatusUpdate({ metadata }, { metadata: old }) {
      if (old.labels === undefined) delete metadata.labels;
      else metadata.labels = old.labels;
    },
    warnings: (object, old) => [...podNameWarnings(object, old), ...templateWarnings(object)],
    validateStatus: (object, old) => validateWorkloadStatus(object, old, deploymentStatus),
    validate,
    validateUpdate: (object, old) => [...validate(object), ...selectorIsImmutable(object, old)],
  },
  columns: [
    nameColumn,
    { name: 'Ready', value: ({ spec, status }) => `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}` },
    { name: 'Up-to-date', value: ({ status }) => status.updatedReplicas ?? 0 },
    { name: 'Available', value: ({ status }) => status.availableReplicas ?? 0 },
    ageColumn,
    containersColumn,
    imagesColumn,
    selectorColumn,
  ],
});

function defaults(object: Deployment): void {
  const { spec } = object;
  defaultTemplate(object);
  spec.replicas ??= 1;
  spec.strategy.type ??= 'RollingUpdate';
  if (spec.strategy.type === 'RollingUpdate') {
    spec.strategy.rollingUpdate ??= {};
    spec.strategy.rollingUpdate.maxUnavailable ??= '25%';
    spec.strategy.rollingUpdate.maxSurge ??= '25%';
  }
  spec.revisionHistoryLimit ??= 10;
  spec.progressDeadlineSeconds ??= 600;
}

function validate(object: Deployment): FieldError[] {
  const { strategy, progressDeadlineSeconds = 0, minReadySeconds = 0 } = object.spec;
  const errors = [...validateWorkload(object), ...validateStrategy(strategy), ...validateLimits(object)];
  if (progressDeadlineSeconds <= minReadySeconds)
    errors.push(
      invalid(
        'spec.progressDeadlineSeconds',
        progressDeadlineSeconds,
        'must be greater than minReadySeconds',
      ),
    );
  return errors;
}

function validateStrategy({ type = '', rollingUpdate }: Deployment['spec']['strategy']): FieldError[] {
  const path = 'spec.strategy';
  if (type === 'Recreate')
    return rollingUpdate === undefined
      ? []
      : [forbiddenField(`${path}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'")];
  if (type !== 'RollingUpdate')
    return [
      notSupported(path, { Type: type, RollingUpdate: rollingUpdate ?? null }, ['Recreate', 'RollingUpdate']),
    ];
  const { maxUnavailable, maxSurge } = rollingUpdate ?? {};
  const errors = [
    ...validateAmount(maxSurge, `${path}.rollingUpdate.maxSurge`),
    ...validateAmount(maxUnavailable, `${path}.rollingUpdate.maxUnavailable`, { atMostAll: true }),
  ];
  if (isNothing(maxUnavailable) && isNothing(maxSurge))
    errors.push(
      invalid(`${path}.rollingUpdate.maxUnavailable`, maxUnavailable, 'may not be 0 when `maxSurge` is 0'),
    );
  return errors;
}
