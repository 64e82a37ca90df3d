import { type FieldError, forbiddenField, invalid, notSupported } from '../../errors/field-error.ts';
import { clone, equal } from '../../object.ts';
import { ageColumn, nameColumn } from '../../representation/columns.ts';
import { defineKind } from '../define-kind.ts';
import {
  defaultTemplate,
  templateWarnings,
  validateLimits,
  validateWorkload,
  type Workload,
  type WorkloadSpec,
  workloadName,
} from './workload.ts';
import { containersColumn, imagesColumn } from './workload-columns.ts';
import { statefulSetStatus, validateWorkloadStatus } from './workload-status.ts';

interface Claim {
  kind?: string;
  apiVersion?: string;
  spec: { volumeMode?: string };
  status?: { phase?: string };
}

interface StatefulSet extends Workload {
  spec: WorkloadSpec & {
    podManagementPolicy?: string;
    updateStrategy: { type?: string; rollingUpdate?: { partition?: number } };
    persistentVolumeClaimRetentionPolicy?: { whenDeleted?: string; whenScaled?: string };
    volumeClaimTemplates?: Claim[];
    ordinals?: object;
  };
  status: { replicas: number; readyReplicas?: number; availableReplicas: number };
}

export const statefulSet = defineKind<StatefulSet>({
  group: 'apps',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  shortNames: ['sts'],
  categories: ['all'],
  storageVersionHash: 'H+vl74LkKdo=',
  definition: 'io.k8s.api.apps.v1.StatefulSet',
  hasGeneration: true,
  hasStatus: true,
  hasScale: true,
  strategy: {
    nameRule: workloadName,
    defaults,
    prepareForCreate(object) {
      object.status = { replicas: 0, availableReplicas: 0 };
    },
    warnings: templateWarnings,
    validateStatus: (object, old) => validateWorkloadStatus(object, old, statefulSetStatus),
    validate,
    validateUpdate,
  },
  columns: [
    nameColumn,
    { name: 'Ready', value: ({ spec, status }) => `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}` },
    ageColumn,
    containersColumn,
    imagesColumn,
  ],
});

function defaults(object: StatefulSet): void {
  const { spec } = object;
  defaultTemplate(object);
  spec.replicas ??= 1;
  spec.podManagementPolicy ??= 'OrderedReady';
  spec.updateStrategy.type ??= 'RollingUpdate';
  if (spec.updateStrategy.type === 'RollingUpdate') {
    spec.updateStrategy.rollingUpdate ??= {};
    spec.updateStrategy.rollingUpdate.partition ??= 0;
  }
  spec.revisionHistoryLimit ??= 10;
  spec.persistentVolumeClaimRetentionPolicy ??= {};
  spec.persistentVolumeClaimRetentionPolicy.whenDeleted ??= 'Retain';
  spec.persistentVolumeClaimRetentionPolicy.whenScaled ??= 'Retain';
  for (const claim of spec.volumeClaimTemplates ?? []) {
    claim.kind = 'PersistentVolumeClaim';
    claim.apiVersion = 'v1';
    claim.spec.volumeMode ??= 'Filesystem';
    claim.status = { phase: 'Pending', ...claim.status };
  }
}

function validate(object: StatefulSet): FieldError[] {
  const { podManagementPolicy = '', updateStrategy } = object.spec;
  const errors = validateWorkload(object);
  if (!['OrderedReady', 'Parallel'].includes(podManagementPolicy))
    errors.push(
      invalid('spec.podManagementPolicy', podManagementPolicy, "must be 'OrderedReady' or 'Parallel'"),
    );
  if (!['OnDelete', 'RollingUpdate'].includes(updateStrategy.type ?? ''))
    errors.push(
      notSupported('spec.updateStrategy.type', updateStrategy.type ?? '', ['OnDelete', 'RollingUpdate']),
    );
  else if (updateStrategy.type === 'OnDelete' && updateStrategy.rollingUpdate !== undefined)
    errors.push(
      invalid(
        'spec.updateStrategy.rollingUpdate',
        updateStrategy.rollingUpdate,
        "only allowed for updateStrategy 'RollingUpdate'",
      ),
    );
  return [...errors, ...validateLimits(object)];
}

const mutable =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

function validateUpdate(object: StatefulSet, old: StatefulSet): FieldError[] {
  const errors = validate(object);
  if (!equal(fixedPart(object), fixedPart(old))) errors.push(forbiddenField('spec', mutable));
  return errors;
}

function fixedPart({ spec }: StatefulSet): unknown {
  const {
    replicas: _replicas,
    ordinals: _ordinals,
    template: _template,
    updateStrategy: _strategy,
    revisionHistoryLimit: _limit,
    persistentVolumeClaimRetentionPolicy: _policy,
    minReadySeconds: _seconds,
    ...fixed
  } = clone(spec);
  return fixed;
}
