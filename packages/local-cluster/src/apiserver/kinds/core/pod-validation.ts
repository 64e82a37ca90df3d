import {
  duplicate,
  type FieldError,
  fieldNotFound,
  forbiddenField,
  invalid,
  notSupported,
  required,
} from '../../errors/field-error.ts';
import { dnsLabel, dnsSubdomain } from '../../meta/names.ts';
import { quantityValue } from '../../schema/quantity.ts';
import { validateEnvironment, validateFileVolumes } from './pod-environment.ts';
import { validateTolerations } from './pod-tolerations.ts';
import type { Container, PodSpec } from './pod-types.ts';
import { validateVolumes } from './pod-volumes.ts';
import { validateDescending } from './volume-paths.ts';

/** Validates the parts of a pod spec where mistakes are common: names, images, ports, mounts, resources, policies. */
export function validatePodSpec(spec: PodSpec, path: string): FieldError[] {
  const volumes = new Set<string>();
  const errors = validateVolumes(spec.volumes ?? [], `${path}.volumes`, volumes);
  const containers = spec.containers ?? [];
  if (containers.length === 0) errors.push(required(`${path}.containers`));
  const names = new Set<string>();
  for (const [index, container] of containers.entries()) {
    const at = `${path}.containers[${index}]`;
    errors.push(...validateContainer(container, at, volumes, names), ...validateProbes(container, at));
  }
  for (const [index, container] of (spec.initContainers ?? []).entries()) {
    const at = `${path}.initContainers[${index}]`;
    errors.push(...validateContainer(container, at, volumes, names), ...validateInitContainer(container, at));
  }
  if (!['Always', 'Never', 'OnFailure'].includes(spec.restartPolicy ?? ''))
    errors.push(
      notSupported(`${path}.restartPolicy`, spec.restartPolicy ?? '', ['Always', 'OnFailure', 'Never']),
    );
  const dns = ['ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None'];
  if (!dns.includes(spec.dnsPolicy ?? ''))
    errors.push(notSupported(`${path}.dnsPolicy`, spec.dnsPolicy ?? '', dns));
  for (const key of ['serviceAccountName', 'nodeName'] as const) {
    const value = spec[key];
    if (value) errors.push(...dnsSubdomain(value).map((each) => invalid(`${path}.${key}`, value, each)));
  }
  const deadline = spec.activeDeadlineSeconds ?? 1;
  if (deadline < 1 || deadline > longestDeadline)
    errors.push(
      invalid(
        `${path}.activeDeadlineSeconds`,
        deadline,
        `must be between 1 and ${longestDeadline}, inclusive`,
      ),
    );
  return [
    ...errors,
    ...validateTolerations(spec.tolerations ?? [], `${path}.tolerations`),
    ...validateFileVolumes(spec, path),
  ];
}

const longestDeadline = 2 ** 31 - 1;

export const notNegative = 'must be greater than or equal to 0';

/** Validates what containers of all kinds have in common, and adds the name to `names`. */
export function validateContainer(
  container: Container,
  path: string,
  volumes: ReadonlySet<string>,
  names: Set<string>,
): FieldError[] {
  const errors: FieldError[] = [];
  const { name, image = '' } = container;
  if (!name) errors.push(required(`${path}.name`));
  else {
    errors.push(...dnsLabel(name).map((each) => invalid(`${path}.name`, name, each)));
    if (names.has(name)) errors.push(duplicate(`${path}.name`, name));
    names.add(name);
  }
  if (image === '') errors.push(required(`${path}.image`));
  const policies = ['Always', 'IfNotPresent', 'Never'];
  if (!policies.includes(container.imagePullPolicy ?? ''))
    errors.push(notSupported(`${path}.imagePullPolicy`, container.imagePullPolicy ?? '', policies));
  return [
    ...errors,
    ...validatePorts(container, path),
    ...validateEnvironment(container, path),
    ...validateMounts(container, path, volumes),
    ...validateResources(container, path),
  ];
}

const restartPolicies = ['Always', 'Never', 'OnFailure'];
const ofSidecars = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const;

/** Only a sidecar, which has the restart policy Always, can have probes and hooks. */
function validateInitContainer(container: Container, path: string): FieldError[] {
  const { restartPolicy } = container;
  if (restartPolicy === 'Always') return validateProbes(container, path);
  const errors =
    restartPolicy === undefined || restartPolicies.includes(restartPolicy)
      ? []
      : [notSupported(`${path}.restartPolicy`, restartPolicy, restartPolicies)];
  const why = 'may not be set for init containers without restartPolicy=Always';
  for (const key of ofSidecars)
    if (container[key] !== undefined) errors.push(forbiddenField(`${path}.${key}`, why));
  return errors;
}

function validateProbes(container: Container, path: string): FieldError[] {
  const handlers = ['exec', 'httpGet', 'tcpSocket', 'grpc'];
  return (['livenessProbe', 'readinessProbe', 'startupProbe'] as const).flatMap((key) => {
    const probe = container[key];
    if (probe === undefined || handlers.some((each) => each in probe)) return [];
    return [required(`${path}.${key}`, 'must specify a handler type')];
  });
}

function validatePorts({ ports = [] }: Container, path: string): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const at = `${path}.ports[${index}]`;
    const errors: FieldError[] = [];
    if (port.name) {
      errors.push(...portNameProblems(port.name).map((each) => invalid(`${at}.name`, port.name, each)));
      if (names.has(port.name)) errors.push(duplicate(`${at}.name`, port.name));
      names.add(port.name);
    }
    if (port.containerPort === 0) errors.push(required(`${at}.containerPort`));
    else if (port.containerPort < 1 || port.containerPort > 65535)
      errors.push(
        invalid(`${at}.containerPort`, port.containerPort, 'must be between 1 and 65535, inclusive'),
      );
    if (!['SCTP', 'TCP', 'UDP'].includes(port.protocol ?? ''))
      errors.push(notSupported(`${at}.protocol`, port.protocol ?? '', ['SCTP', 'TCP', 'UDP']));
    return errors;
  });
}

function portNameProblems(name: string): string[] {
  const problems: string[] = [];
  if (name.length > 15) problems.push('must be no more than 15 characters');
  if (!/^[-a-z0-9]+$/.test(name))
    problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(name)) problems.push('must contain at least one letter (a-z)');
  if (name.includes('--')) problems.push('must not contain consecutive hyphens');
  if (/^-|-$/.test(name)) problems.push('must not begin or end with a hyphen');
  return problems;
}

function validateMounts(
  { volumeMounts = [] }: Container,
  path: string,
  volumes: ReadonlySet<string>,
): FieldError[] {
  const paths = new Set<string>();
  return volumeMounts.flatMap((mount, index) => {
    const at = `${path}.volumeMounts[${index}]`;
    const errors: FieldError[] = [];
    if (mount.name === '') errors.push(required(`${at}.name`));
    else if (!volumes.has(mount.name)) errors.push(fieldNotFound(`${at}.name`, mount.name));
    if (mount.mountPath === '') errors.push(required(`${at}.mountPath`));
    else if (paths.has(mount.mountPath))
      errors.push(invalid(`${at}.mountPath`, mount.mountPath, 'must be unique'));
    paths.add(mount.mountPath);
    // These two paths lack the index of the mount, as in Kubernetes.
    for (const key of ['subPath', 'subPathExpr'] as const)
      errors.push(...validateDescending(mount[key] ?? '', `${path}.volumeMounts.${key}`));
    if (mount.subPath && mount.subPathExpr)
      errors.push(
        invalid(`${at}.subPathExpr`, mount.subPathExpr, 'subPathExpr and subPath are mutually exclusive'),
      );
    return errors;
  });
}

function validateResources({ resources = {} }: Container, path: string): FieldError[] {
  const { limits = {}, requests = {} } = resources;
  return Object.entries(requests).flatMap(([name, request]) => {
    const limit = limits[name];
    const asked = quantityValue(request) ?? 0;
    if (asked < 0) return [invalid(`${path}.resources.requests[${name}]`, request, notNegative)];
    if (limit === undefined || asked <= (quantityValue(limit) ?? 0)) return [];
    return [
      invalid(
        `${path}.resources.requests`,
        request,
        `must be less than or equal to ${name} limit of ${limit}`,
      ),
    ];
  });
}
