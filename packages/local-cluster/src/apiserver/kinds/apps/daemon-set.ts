import { type FieldError, invalid, notSupported } from '../../errors/field-error.ts';
import { equal } from '../../object.ts';
import { ageColumn, labelsText, nameColumn } from '../../representation/columns.ts';
import { defineKind } from '../define-kind.ts';
import {
  defaultTemplate,
  isNothing,
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
import { daemonSetStatus, validateWorkloadStatus } from './workload-status.ts';

interface DaemonSet extends Workload {
  spec: WorkloadSpec & {
    updateStrategy: {
      type?: string;
      rollingUpdate?: { maxUnavailable?: number | string; maxSurge?: number | string };
    };
  };
  status: {
    currentNumberScheduled: number;
    numberMisscheduled: number;
    desiredNumberScheduled: number;
    numberReady: number;
    updatedNumberScheduled?: number;
    numberAvailable?: number;
  };
}

const nothing = {
  currentNumberScheduled: 0,
  numberMisscheduled: 0,
  desiredNumberScheduled: 0,
  numberReady: 0,
};
const templateGeneration = 'deprecated.daemonset.template.generation';

export const daemonSet = defineKind<DaemonSet>({
  group: 'apps',
  kind: 'DaemonSet',
  plural: 'daemonsets',
  shortNames: ['ds'],
  categories: ['all'],
  storageVersionHash: 'dd7pWHUlMKQ=',
  definition: 'io.k8s.api.apps.v1.DaemonSet',
  hasGeneration: true,
  hasStatus: true,
  strategy: {
    nameRule: workloadName,
    defaults,
    prepareForCreate(object) {
      object.status = { ...nothing };
      setTemplateGeneration(object, 1);
    },
    prepareForUpdate(object, old) {
      const before = Number(old.metadata.annotations?.[templateGeneration] ?? 0);
      setTemplateGeneration(object, equal(object.spec.template, old.spec.template) ? before : before + 1);
    },
    warnings: templateWarnings,
    validateStatus: (object, old) => validateWorkloadStatus(object, old, daemonSetStatus),
    validate,
    validateUpdate: (object, old) => [...selectorIsImmutable(object, old), ...validate(object)],
  },
  columns: [
    nameColumn,
    { name: 'Desired', type: 'integer', value: ({ status }) => status.desiredNumberScheduled },
    { name: 'Current', type: 'integer', value: ({ status }) => status.currentNumberScheduled },
    { name: 'Ready', type: 'integer', value: ({ status }) => status.numberReady },
    { name: 'Up-to-date', type: 'integer', value: ({ status }) => status.updatedNumberScheduled ?? 0 },
    { name: 'Available', type: 'integer', value: ({ status }) => status.numberAvailable ?? 0 },
    { name: 'Node Selector', value: nodeSelectorText },
    ageColumn,
    containersColumn,
    imagesColumn,
    selectorColumn,
  ],
});

function setTemplateGeneration({ metadata }: DaemonSet, generation: number): void {
  metadata.annotations = { ...metadata.annotations, [templateGeneration]: String(generation) };
}

function defaults(object: DaemonSet): void {
  const { spec } = object;
  defaultTemplate(object);
  spec.updateStrategy.type ??= 'RollingUpdate';
  if (spec.updateStrategy.type === 'RollingUpdate') {
    spec.updateStrategy.rollingUpdate ??= {};
    spec.updateStrategy.rollingUpdate.maxUnavailable ??= 1;
    spec.updateStrategy.rollingUpdate.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= 10;
}

function validate(object: DaemonSet): FieldError[] {
  const { type = '', rollingUpdate } = object.spec.updateStrategy;
  const path = 'spec.updateStrategy';
  const errors = validateWorkload(object);
  if (!['OnDelete', 'RollingUpdate'].includes(type))
    return [...errors, notSupported(`${path}.type`, type, ['OnDelete', 'RollingUpdate'])];
  const { maxUnavailable, maxSurge } = rollingUpdate ?? {};
  errors.push(
    ...validateAmount(maxUnavailable, `${path}.rollingUpdate.maxUnavailable`),
    ...validateAmount(maxSurge, `${path}.rollingUpdate.maxSurge`),
  );
  if (type === 'RollingUpdate' && isNothing(maxUnavailable) && isNothing(maxSurge))
    errors.push(
      invalid(`${path}.rollingUpdate.maxUnavailable`, maxUnavailable, 'cannot be 0 when maxSurge is 0'),
    );
  return [...errors, ...validateLimits(object)];
}

function nodeSelectorText({ spec }: DaemonSet): string {
  return labelsText((spec.template.spec as { nodeSelector?: Record<string, string> }).nodeSelector);
}
