import {
  type FieldError,
  forbiddenField,
  invalid,
  notSupported,
  required,
} from '../../errors/field-error.ts';
import type { ApiObject } from '../../object.ts';
import { ageColumn, labelsText, nameColumn } from '../../representation/columns.ts';
import { labelsMatch } from '../../selector/object-selector.ts';
import { defaultPodSpec } from '../core/pod-defaults.ts';
import { validateTemplate } from '../core/pod-template.ts';
import type { PodTemplate } from '../core/pod-types.ts';
import { notNegative } from '../core/pod-validation.ts';
import { podWarnings } from '../core/pod-warnings.ts';
import { defineKind } from '../define-kind.ts';
import { podNameWarnings, workloadName } from './workload.ts';
import { containersColumn, imagesColumn } from './workload-columns.ts';
import { replicationControllerStatus, validateWorkloadStatus } from './workload-status.ts';

interface ReplicationController extends ApiObject {
  spec: {
    replicas: number;
    /** Labels, and not a LabelSelector as in newer kinds. */
    selector?: Record<string, string>;
    template?: PodTemplate;
    minReadySeconds?: number;
  };
  status: { replicas: number; readyReplicas?: number };
}

export const replicationController = defineKind<ReplicationController>({
  group: '',
  kind: 'ReplicationController',
  plural: 'replicationcontrollers',
  shortNames: ['rc'],
  categories: ['all'],
  storageVersionHash: 'Jond2If31h0=',
  definition: 'io.k8s.api.core.v1.ReplicationController',
  storage: 'controllers',
  hasGeneration: true,
  hasStatus: true,
  hasScale: true,
  orphansByDefault: true,
  scaleSelector: ({ spec }) => labelsText(spec.selector),
  strategy: {
    nameRule: workloadName,
    defaults,
    prepareForCreate(object) {
      object.status = { replicas: 0 };
    },
    warnings,
    validateStatus: (object, old) => validateWorkloadStatus(object, old, replicationControllerStatus),
    validate,
  },
  columns: [
    nameColumn,
    { name: 'Desired', type: 'integer', value: ({ spec }) => spec.replicas },
    { name: 'Current', type: 'integer', value: ({ status }) => status.replicas },
    { name: 'Ready', type: 'integer', value: ({ status }) => status.readyReplicas ?? 0 },
    ageColumn,
    containersColumn,
    imagesColumn,
    { name: 'Selector', priority: 1, value: ({ spec }) => labelsText(spec.selector) },
  ],
  selectableFields: { 'status.replicas': ({ status }) => String(status.replicas) },
});

/** The schema sets the default of `replicas`. */
function defaults({ metadata, spec }: ReplicationController): void {
  if (spec.template === undefined) return;
  defaultPodSpec(spec.template.spec);
  const { labels } = spec.template.metadata ?? {};
  if (labels === undefined) return;
  spec.selector ??= { ...labels };
  metadata.labels ??= { ...labels };
}

/** Kubernetes exchanges the two templates of an update, so the warnings are about the template before the update. */
function warnings(object: ReplicationController, old?: ReplicationController): string[] {
  const { template } = (old ?? object).spec;
  return [
    ...podNameWarnings(object, old),
    ...(template === undefined ? [] : podWarnings(template.spec, 'spec.template.spec')),
  ];
}

function validate({ spec }: ReplicationController): FieldError[] {
  const { minReadySeconds = 0, selector = {}, replicas, template } = spec;
  const errors: FieldError[] = [];
  if (minReadySeconds < 0) errors.push(invalid('spec.minReadySeconds', minReadySeconds, notNegative));
  if (Object.keys(selector).length === 0) errors.push(required('spec.selector'));
  if (replicas < 0) errors.push(invalid('spec.replicas', replicas, notNegative));
  if (template === undefined) return [...errors, required('spec.template')];
  const labels = template.metadata?.labels;
  if (!labelsMatch({ matchLabels: selector }, labels ?? {}))
    errors.push(
      invalid('spec.template.metadata.labels', labels ?? null, '`selector` does not match template `labels`'),
    );
  errors.push(...validateTemplate(template, 'spec.template'));
  const { restartPolicy = '', activeDeadlineSeconds } = template.spec;
  if (restartPolicy !== 'Always')
    errors.push(notSupported('spec.template.spec.restartPolicy', restartPolicy, ['Always']));
  if (activeDeadlineSeconds !== undefined)
    errors.push(
      forbiddenField(
        'spec.template.spec.activeDeadlineSeconds',
        'activeDeadlineSeconds in ReplicationController is not Supported',
      ),
    );
  return errors;
}
