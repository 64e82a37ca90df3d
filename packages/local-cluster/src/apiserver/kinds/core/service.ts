import { isIP } from 'node:net';
import { duplicate, type FieldError, invalid, notSupported, required } from '../../errors/field-error.ts';
import { dnsLabel } from '../../meta/names.ts';
import { type ApiObject, equal } from '../../object.ts';
import { ageColumn, labelsText, nameColumn } from '../../representation/columns.ts';
import { defineKind } from '../define-kind.ts';
import type { StrategyContext } from '../kind.ts';

interface ServicePort {
  name?: string;
  protocol: string;
  port: number;
  targetPort?: number | string;
  nodePort?: number;
}

export interface Service extends ApiObject {
  spec: {
    type?: string;
    ports?: ServicePort[];
    selector?: Record<string, string>;
    clusterIP?: string;
    clusterIPs?: string[];
    externalIPs?: string[];
    externalName?: string;
    sessionAffinity?: string;
    sessionAffinityConfig?: { clientIP?: { timeoutSeconds?: number } };
    ipFamilies?: string[];
    ipFamilyPolicy?: string;
    internalTrafficPolicy?: string;
    externalTrafficPolicy?: string;
    allocateLoadBalancerNodePorts?: boolean;
    loadBalancerIP?: string;
  };
  status: { loadBalancer?: { ingress?: { ip?: string; hostname?: string }[] } };
}

const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];

export const service = defineKind<Service>({
  group: '',
  kind: 'Service',
  plural: 'services',
  shortNames: ['svc'],
  categories: ['all'],
  storageVersionHash: '0/CO1lhkEBI=',
  storage: 'services/specs',
  definition: 'io.k8s.api.core.v1.Service',
  hasStatus: true,
  createOnUpdate: true,
  returnsDeleted: true,
  strategy: {
    nameRule: dnsLabel,
    defaults,
    prepareForCreate(object, context) {
      object.status = { loadBalancer: {} };
      allocate(object, undefined, context);
    },
    prepareForUpdate(object, old, context) {
      keepAddresses(object, old);
      allocate(object, old, context);
    },
    validate,
    validateUpdate,
  },
  columns: [
    nameColumn,
    { name: 'Type', value: ({ spec }) => spec.type ?? '' },
    { name: 'Cluster-IP', value: ({ spec }) => spec.clusterIPs?.[0] ?? (spec.clusterIP || '<none>') },
    { name: 'External-IP', value: externalText },
    { name: 'Port(s)', value: portsText },
    ageColumn,
    { name: 'Selector', priority: 1, value: ({ spec }) => labelsText(spec.selector) },
  ],
  selectableFields: {
    'spec.clusterIP': ({ spec }) => spec.clusterIP ?? '',
    'spec.type': ({ spec }) => spec.type ?? '',
  },
});

function defaults({ spec }: Service): void {
  spec.sessionAffinity ??= 'None';
  if (spec.sessionAffinity === 'ClientIP')
    spec.sessionAffinityConfig ??= { clientIP: { timeoutSeconds: 10_800 } };
  else delete spec.sessionAffinityConfig;
  spec.type ??= 'ClusterIP';
  for (const port of spec.ports ?? []) {
    port.protocol ||= 'TCP';
    if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === '')
      port.targetPort = port.port;
  }
  if (isExposed(spec.type)) spec.externalTrafficPolicy ??= 'Cluster';
  if (spec.type !== 'ExternalName') spec.internalTrafficPolicy ??= 'Cluster';
  if (spec.type === 'LoadBalancer') spec.allocateLoadBalancerNodePorts ??= true;
}

function isExposed(type: string | undefined): boolean {
  return type === 'NodePort' || type === 'LoadBalancer';
}

/** An update that omits addresses or ports that the server allocated keeps them. */
function keepAddresses({ spec }: Service, { spec: old }: Service): void {
  if (spec.type === 'ExternalName') {
    delete spec.clusterIP;
    delete spec.clusterIPs;
    delete spec.ipFamilies;
    delete spec.ipFamilyPolicy;
    return;
  }
  if (old.type === 'ExternalName') return;
  if (!spec.clusterIP && old.clusterIP !== undefined) spec.clusterIP = old.clusterIP;
  if (spec.clusterIPs === undefined && old.clusterIPs !== undefined) spec.clusterIPs = old.clusterIPs;
  if (!isExposed(spec.type) || !isExposed(old.type)) return;
  for (const port of spec.ports ?? []) {
    if (port.nodePort !== undefined) continue;
    const before = old.ports?.find((each) => each.port === port.port && each.protocol === port.protocol);
    if (before?.nodePort !== undefined) port.nodePort = before.nodePort;
  }
}

function allocate({ spec }: Service, old: Service | undefined, { addresses, dryRun }: StrategyContext): void {
  if (spec.type === 'ExternalName') return;
  const isHeadless = spec.clusterIP === 'None';
  spec.ipFamilyPolicy ??= isHeadless && spec.selector === undefined ? 'RequireDualStack' : 'SingleStack';
  spec.ipFamilies ??= spec.ipFamilyPolicy === 'RequireDualStack' ? ['IPv4', 'IPv6'] : ['IPv4'];
  if (!spec.clusterIP) spec.clusterIP = addresses.clusterIp({ dryRun });
  spec.clusterIPs ??= [spec.clusterIP];
  if (!isExposed(spec.type)) {
    if (old === undefined || !isExposed(old.spec.type)) return;
    for (const port of spec.ports ?? []) delete port.nodePort;
    delete spec.externalTrafficPolicy;
    return;
  }
  for (const port of spec.ports ?? []) port.nodePort ??= addresses.nodePort({ dryRun });
}

function validate({ spec }: Service): FieldError[] {
  const errors: FieldError[] = [];
  const { ports = [], type = '', clusterIP = '' } = spec;
  if (!types.includes(type)) errors.push(notSupported('spec.type', type, types));
  if (ports.length === 0 && clusterIP !== 'None' && type !== 'ExternalName')
    errors.push(required('spec.ports'));
  if (type === 'ExternalName') {
    if (!spec.externalName) errors.push(required('spec.externalName'));
    if (clusterIP !== '')
      errors.push({
        reason: 'FieldValueForbidden',
        field: 'spec.clusterIPs[0]',
        body: 'Forbidden: may not be set when `type` is `ExternalName`',
      });
  } else if (clusterIP !== '' && clusterIP !== 'None' && isIP(clusterIP) === 0)
    errors.push(
      invalid(
        'spec.clusterIPs[0]',
        clusterIP,
        'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      ),
    );
  if (!['ClientIP', 'None'].includes(spec.sessionAffinity ?? ''))
    errors.push(notSupported('spec.sessionAffinity', spec.sessionAffinity ?? '', ['ClientIP', 'None']));
  return [...errors, ...validatePorts(ports)];
}

function validatePorts(ports: readonly ServicePort[]): FieldError[] {
  const names = new Set<string>();
  const used = new Set<string>();
  return ports.flatMap((port, index) => {
    const path = `spec.ports[${index}]`;
    const errors: FieldError[] = [];
    const { name = '' } = port;
    if (name === '') {
      if (ports.length > 1) errors.push(required(`${path}.name`));
    } else {
      errors.push(...dnsLabel(name).map((each) => invalid(`${path}.name`, name, each)));
      if (names.has(name)) errors.push(duplicate(`${path}.name`, name));
      names.add(name);
    }
    if (port.port < 1 || port.port > 65535)
      errors.push(invalid(`${path}.port`, port.port, 'must be between 1 and 65535, inclusive'));
    if (!['SCTP', 'TCP', 'UDP'].includes(port.protocol))
      errors.push(notSupported(`${path}.protocol`, port.protocol, ['SCTP', 'TCP', 'UDP']));
    const { targetPort } = port;
    if (typeof targetPort === 'number' && (targetPort < 1 || targetPort > 65535))
      errors.push(invalid(`${path}.targetPort`, targetPort, 'must be between 1 and 65535, inclusive'));
    const key = `${port.port}/${port.protocol}`;
    if (used.has(key)) errors.push(duplicate(path, asInGo(port)));
    used.add(key);
    return errors;
  });
}

/** The message shows the value as Go prints its struct, with the compared fields only. */
function asInGo({ port, protocol }: ServicePort): object {
  return { Name: '', Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
}

function validateUpdate(object: Service, old: Service): FieldError[] {
  const errors: FieldError[] = [];
  if (old.spec.type !== 'ExternalName' && object.spec.type !== 'ExternalName' && old.spec.clusterIP)
    if (!equal(object.spec.clusterIPs, old.spec.clusterIPs))
      errors.push(invalid('spec.clusterIPs[0]', object.spec.clusterIPs, 'may not change once set'));
  return [...errors, ...validate(object)];
}

function externalText({ spec, status }: Service): string {
  const external = spec.externalIPs ?? [];
  if (spec.type === 'ExternalName') return spec.externalName ?? '';
  if (spec.type !== 'LoadBalancer') return external.length === 0 ? '<none>' : external.join(',');
  const ingress = (status.loadBalancer?.ingress ?? []).flatMap(({ ip, hostname }) => ip ?? hostname ?? []);
  const all = [...ingress, ...external];
  return all.length === 0 ? '<pending>' : all.join(',');
}

function portsText({ spec }: Service): string {
  const texts = (spec.ports ?? []).map(({ port, nodePort, protocol }) =>
    nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`,
  );
  return texts.length === 0 ? '<none>' : texts.join(',');
}
