import { duplicate, type FieldError, fieldNotFound, forbiddenField } from '../../errors/field-error.ts';
import { clone, equal } from '../../object.ts';
import { definitions } from '../../schema/definitions.ts';
import type { Container, Pod, PodSpec } from './pod-types.ts';
import { validateContainer, validatePodSpec } from './pod-validation.ts';

const podSpecFields = Object.keys(definitions['io.k8s.api.core.v1.PodSpec']?.properties ?? {});

/** Fields that a write of the ephemeral containers ignores. */
export const allButEphemeralContainers = [
  ['f:metadata'],
  ['f:status'],
  ...podSpecFields
    .filter((field) => field !== 'ephemeralContainers')
    .map((field) => ['f:spec', `f:${field}`]),
];

/** A write of the ephemeral containers changes nothing else. Mutates the pod. */
export function keepAllButEphemeralContainers(object: Pod, old: Pod): void {
  const { ephemeralContainers } = object.spec;
  const { uid = '', managedFields, resourceVersion = '', generation } = object.metadata;
  object.spec = clone(old.spec);
  if (ephemeralContainers === undefined) delete object.spec.ephemeralContainers;
  else object.spec.ephemeralContainers = ephemeralContainers;
  object.status = old.status;
  object.metadata = {
    ...clone(old.metadata),
    uid,
    resourceVersion,
    ...(generation !== undefined && { generation }),
  };
  if (managedFields === undefined) delete object.metadata.managedFields;
  else object.metadata.managedFields = managedFields;
}

/** Ephemeral containers can only be added. */
export function validateEphemeralContainersUpdate({ spec }: Pod, old: Pod): FieldError[] {
  const errors = [
    ...validatePodSpec(spec, 'spec'),
    ...ephemeralContainerErrors(spec, 'spec.ephemeralContainers'),
  ];
  const now = new Map((spec.ephemeralContainers ?? []).map((each) => [each.name, each]));
  for (const before of old.spec.ephemeralContainers ?? []) {
    const found = now.get(before.name);
    const what = found === undefined ? 'removed' : equal(found, before) ? undefined : 'changed';
    if (what !== undefined)
      errors.push(
        forbiddenField(
          'spec.ephemeralContainers',
          `existing ephemeral containers ${JSON.stringify(before.name)} may not be ${what}\n`,
        ),
      );
  }
  return errors;
}

/** Fields that an ephemeral container cannot have: it is no part of what the pod offers. */
const refused = [
  'ports',
  'resources',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
] as const;
const why = 'cannot be set for an Ephemeral Container';

function ephemeralContainerErrors(spec: PodSpec, path: string): FieldError[] {
  const others = [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ name }) => name);
  const volumes = new Set((spec.volumes ?? []).map(({ name }) => name));
  const names = new Set(others);
  return (spec.ephemeralContainers ?? []).flatMap((container, index) => {
    const at = `${path}[${index}]`;
    const { targetContainerName = '' } = container;
    const errors = validateContainer(container, at, volumes, new Set());
    if (names.has(container.name)) errors.push(duplicate(`${at}.name`, container.name));
    names.add(container.name);
    if (targetContainerName !== '' && !others.includes(targetContainerName))
      errors.push(fieldNotFound(`${at}.targetContainerName`, targetContainerName));
    return [...errors, ...refusedFields(container, at)];
  });
}

function refusedFields(container: Container, path: string): FieldError[] {
  const errors = refused
    .filter((field) => container[field] !== undefined && !equal(container[field], {}))
    .map((field) => forbiddenField(`${path}.${field}`, why));
  for (const [index, mount] of (container.volumeMounts ?? []).entries())
    for (const key of ['subPath', 'subPathExpr'] as const)
      if (mount[key]) errors.push(forbiddenField(`${path}.volumeMounts[${index}].${key}`, why));
  return errors;
}
