import { type FieldError, fieldNotFound, invalid, required } from '../../errors/field-error.ts';
import { configKey, dnsLabel, dnsSubdomain, variableName } from '../../meta/names.ts';
import { validateFieldReference, validateResourceReference } from './downward-references.ts';
import type { Container, FileReference, KeyReference, PodSpec } from './pod-types.ts';
import { validateNoSteps } from './volume-paths.ts';

type Variable = NonNullable<Container['env']>[number];

export function validateEnvironment({ env = [] }: Container, path: string): FieldError[] {
  return env.flatMap((variable, index) => {
    const at = `${path}.env[${index}]`;
    const { name } = variable;
    const errors =
      name === ''
        ? [required(`${at}.name`)]
        : variableName(name).map((each) => invalid(`${at}.name`, name, each));
    return [...errors, ...validateSource(variable, `${at}.valueFrom`)];
  });
}

function validateSource({ value, valueFrom }: Variable, path: string): FieldError[] {
  if (valueFrom === undefined) return [];
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = valueFrom;
  const errors = [
    ...(fieldRef ? validateFieldReference(fieldRef, 'variable', `${path}.fieldRef`) : []),
    ...(resourceFieldRef
      ? validateResourceReference(resourceFieldRef, 'variable', `${path}.resourceFieldRef`)
      : []),
    ...(configMapKeyRef ? validateKeyReference(configMapKeyRef, `${path}.configMapKeyRef`) : []),
    ...(secretKeyRef ? validateKeyReference(secretKeyRef, `${path}.secretKeyRef`) : []),
    ...(fileKeyRef ? validateFileReference(fileKeyRef, `${path}.fileKeyRef`) : []),
  ];
  const problem = sourceProblem(Object.keys(valueFrom).length, value);
  return problem === undefined ? errors : [...errors, invalid(path, '', problem)];
}

function sourceProblem(count: number, value: string | undefined): string | undefined {
  if (count === 0)
    return 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
  if (value) return 'may not be specified when `value` is not empty';
  return count > 1 ? 'may not have more than one field specified at a time' : undefined;
}

function validateKeyReference({ name, key }: KeyReference, path: string): FieldError[] {
  return [
    ...dnsSubdomain(name).map((each) => invalid(`${path}.name`, name, each)),
    ...(key ? configKey(key).map((each) => invalid(`${path}.key`, key, each)) : [required(`${path}.key`)]),
  ];
}

function validateFileReference({ key, volumeName, path: file }: FileReference, path: string): FieldError[] {
  return [
    ...(key ? variableName(key).map((each) => invalid(`${path}.key`, key, each)) : [required(`${path}.key`)]),
    ...(volumeName
      ? dnsLabel(volumeName).map((each) => invalid(`${path}.volumeName`, volumeName, each))
      : [required(`${path}.volumeName`)]),
    ...(file ? validateNoSteps(file, `${path}.path`) : [required(`${path}.path`)]),
  ];
}

/** A file with variables must be in a volume of the type emptyDir. */
export function validateFileVolumes(spec: PodSpec, path: string): FieldError[] {
  const volumes = new Map((spec.volumes ?? []).map((each) => [each.name, each]));
  const lists = ['initContainers', 'containers', 'ephemeralContainers'] as const;
  return lists.flatMap((list) =>
    (spec[list] ?? []).flatMap(({ env = [] }, index) =>
      env.flatMap(({ valueFrom }, at) => {
        if (valueFrom?.fileKeyRef === undefined) return [];
        const { volumeName } = valueFrom.fileKeyRef;
        const field = `${path}.${list}[${index}].env[${at}].valueFrom.fileKeyRef.volumeName`;
        const volume = volumes.get(volumeName);
        if (volume === undefined) return [fieldNotFound(field, volumeName)];
        if (volume.emptyDir !== undefined) return [];
        return [invalid(field, volumeName, 'referenced volume must be of type emptyDir')];
      }),
    ),
  );
}
