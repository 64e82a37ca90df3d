import { type FieldError, forbiddenField, invalid, notSupported } from '../../errors/field-error.ts';
import { dnsSubdomain } from '../../meta/names.ts';
import type { ApiObject } from '../../object.ts';
import { ageColumn, nameColumn } from '../../representation/columns.ts';
import { defineKind } from '../define-kind.ts';

export interface PriorityClass extends ApiObject {
  value: number;
  globalDefault?: boolean;
  description?: string;
  preemptionPolicy?: string;
}

/** Highest value of user-defined classes; greater values are reserved for Kubernetes. */
const highest = 1_000_000_000;

export const systemClasses = [
  {
    name: 'system-node-critical',
    value: 2_000_001_000,
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
  {
    name: 'system-cluster-critical',
    value: 2_000_000_000,
    description:
      'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  },
];

export const priorityClass = defineKind<PriorityClass>({
  group: 'scheduling.k8s.io',
  kind: 'PriorityClass',
  plural: 'priorityclasses',
  namespaced: false,
  shortNames: ['pc'],
  storageVersionHash: '1QwjyaZjj3Y=',
  definition: 'io.k8s.api.scheduling.v1.PriorityClass',
  strategy: {
    nameRule: dnsSubdomain,
    defaults(object) {
      object.preemptionPolicy ??= 'PreemptLowerPriority';
    },
    prepareForCreate({ metadata }) {
      metadata.generation = 1;
    },
    validate,
    validateUpdate: (object, old) => [
      ...(object.value === old.value ? [] : [forbiddenField('value', 'may not be changed in an update.')]),
      ...(object.preemptionPolicy === old.preemptionPolicy
        ? []
        : [invalid('preemptionPolicy', object.preemptionPolicy, 'field is immutable')]),
    ],
  },
  columns: [
    nameColumn,
    { name: 'Value', type: 'integer', value: ({ value }) => value },
    { name: 'Global-Default', type: 'boolean', value: ({ globalDefault }) => globalDefault ?? false },
    ageColumn,
    { name: 'PreemptionPolicy', value: ({ preemptionPolicy }) => preemptionPolicy ?? '' },
  ],
});

function validate(object: PriorityClass): FieldError[] {
  const { metadata, value, preemptionPolicy = '' } = object;
  const errors: FieldError[] = [];
  if (metadata.name?.startsWith('system-')) {
    const problem = systemProblem(object);
    if (problem !== undefined)
      errors.push(
        forbiddenField(
          'metadata.name',
          `priority class names with 'system-' prefix are reserved for system use only. error: ${problem}`,
        ),
      );
  } else if (value > highest)
    errors.push(forbiddenField('value', `maximum allowed value of a user defined priority is ${highest}`));
  const policies = ['PreemptLowerPriority', 'Never'];
  if (!policies.includes(preemptionPolicy))
    errors.push(notSupported('preemptionPolicy', preemptionPolicy, policies));
  return errors;
}

function systemProblem({ metadata, value, globalDefault = false }: PriorityClass): string | undefined {
  const { name = '' } = metadata;
  const known = systemClasses.find((each) => each.name === name);
  if (known === undefined) return `${name} is not a known system priority class`;
  if (known.value !== value) return `value of ${name} PriorityClass must be ${known.value}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}
