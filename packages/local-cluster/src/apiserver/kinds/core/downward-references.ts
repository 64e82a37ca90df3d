import { type FieldError, invalid, notSupported, required } from '../../errors/field-error.ts';
import { qualifiedName } from '../../meta/names.ts';
import { canonicalQuantity } from '../../schema/quantity.ts';

export interface FieldReference {
  apiVersion?: string;
  fieldPath?: string;
}

export interface ResourceReference {
  containerName?: string;
  resource?: string;
  divisor?: string;
}

const always = ['metadata.name', 'metadata.namespace', 'metadata.uid'];
const ofVariables = [
  ...always,
  ...['spec.nodeName', 'spec.serviceAccountName'],
  ...['status.hostIP', 'status.hostIPs', 'status.podIP', 'status.podIPs'],
];
const ofFiles = ['metadata.annotations', 'metadata.labels', ...always];
/** Field paths that Kubernetes recognises; some of them are supported neither in variables nor in files. */
const known = new Set([
  ...ofVariables,
  ...ofFiles,
  ...['spec.restartPolicy', 'spec.schedulerName', 'status.phase', 'spec.host'],
]);

/** Validates a reference from an environment variable or a file to a field of the pod. */
export function validateFieldReference(
  { apiVersion = '', fieldPath = '' }: FieldReference,
  shownIn: 'variable' | 'file',
  path: string,
): FieldError[] {
  if (apiVersion === '') return [required(`${path}.apiVersion`)];
  if (fieldPath === '') return [required(`${path}.fieldPath`)];
  const unknown = (why: string) => [
    invalid(`${path}.fieldPath`, fieldPath, `error converting fieldPath: ${why}`),
  ];
  if (apiVersion !== 'v1') return unknown(`unsupported pod version: ${apiVersion}`);
  const [, of, key] = /^(.+?)\['(.*)'\]$/s.exec(fieldPath) ?? [];
  if (of !== undefined && key !== undefined) {
    if (of === 'metadata.labels') return qualifiedName(key).map((each) => invalid(path, key, each));
    const name = key.toLowerCase();
    if (of === 'metadata.annotations') return qualifiedName(name).map((each) => invalid(path, name, each));
    return unknown(`field label does not support subscript: ${fieldPath}`);
  }
  if (!known.has(fieldPath)) return unknown(`field label not supported: ${fieldPath}`);
  const field = fieldPath === 'spec.host' ? 'spec.nodeName' : fieldPath;
  const supported = shownIn === 'variable' ? ofVariables : ofFiles;
  return supported.includes(field) ? [] : [notSupported(`${path}.fieldPath`, field, supported)];
}

const resources = ['limits', 'requests'].flatMap((list) =>
  ['cpu', 'ephemeral-storage', 'memory'].map((each) => `${list}.${each}`),
);
const sizes = '1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei';

/** Validates a reference to resources of a container. A file belongs to no container, so it has to name one. */
export function validateResourceReference(
  { containerName = '', resource = '', divisor = '0' }: ResourceReference,
  shownIn: 'variable' | 'file',
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  const isHuge = /^(limits|requests)\.hugepages-/.test(resource);
  if (shownIn === 'file' && containerName === '') errors.push(required(`${path}.containerName`));
  else if (resource === '') errors.push(required(`${path}.resource`));
  else if (!resources.includes(resource) && !isHuge)
    errors.push(notSupported(`${path}.resource`, resource, resources));
  return [...errors, ...validateDivisor(resource, isHuge, canonicalQuantity(divisor) ?? divisor, path)];
}

function validateDivisor(resource: string, isHuge: boolean, divisor: string, path: string): FieldError[] {
  if (divisor === '0' || (!resources.includes(resource) && !isHuge)) return [];
  const refused = (values: string, what: string) => [
    invalid(
      `${path}.divisor`,
      resource,
      `only divisor's values ${values} are supported with the ${what} resource`,
    ),
  ];
  if (resource.endsWith('.cpu')) return ['1m', '1'].includes(divisor) ? [] : refused('1m and 1', 'cpu');
  if (sizes.split(', ').includes(divisor)) return [];
  if (isHuge) return refused(sizes, 'hugepages');
  return refused(sizes, resource.endsWith('.memory') ? 'memory' : 'local ephemeral storage');
}
