import { isIPv4, isIPv6 } from 'node:net';
import { duplicate, type FieldError, invalid, notSupported, required } from '../../errors/field-error.ts';
import { dnsLabel, dnsSubdomain, labelValue, qualifiedName } from '../../meta/names.ts';
import type { Endpoint, EndpointPort, EndpointSlice } from './endpoint-slice.ts';

const addressTypes = ['FQDN', 'IPv4', 'IPv6'];
const protocols = ['SCTP', 'TCP', 'UDP'];
const most = { endpoints: 1_000, addresses: 100, ports: 20_000, zones: 8 };

export function validateEndpointSlice({ addressType, endpoints, ports }: EndpointSlice): FieldError[] {
  const errors: FieldError[] = [];
  if (addressType === '') errors.push(required('addressType'));
  else if (!addressTypes.includes(addressType))
    errors.push(notSupported('addressType', addressType, addressTypes));
  return [...errors, ...validateEndpoints(endpoints ?? [], addressType), ...validatePorts(ports ?? [])];
}

function tooMany(field: string, count: number, limit: number): FieldError {
  return {
    reason: 'FieldValueTooMany',
    field,
    body: `Too many: ${count}: must have at most ${limit} items`,
  };
}

function validateEndpoints(endpoints: readonly Endpoint[], type: string): FieldError[] {
  if (endpoints.length > most.endpoints) return [tooMany('endpoints', endpoints.length, most.endpoints)];
  return endpoints.flatMap(({ addresses, hostname, nodeName, hints, targetRef }, index) => {
    const at = `endpoints[${index}]`;
    const named = (field: string, value: string | undefined, rule: (value: string) => string[]) =>
      value === undefined ? [] : rule(value).map((each) => invalid(`${at}.${field}`, value, each));
    return [
      ...validateAddresses(addresses ?? [], { type, isPod: targetRef?.kind === 'Pod' }, `${at}.addresses`),
      ...named('nodeName', nodeName, dnsSubdomain),
      ...named('hostname', hostname, dnsLabel),
      ...validateZones(hints?.forZones ?? [], `${at}.hints.forZones`),
    ];
  });
}

interface Expected {
  type: string;
  /** Pods of the local cluster have loopback addresses, which Kubernetes refuses for all endpoints. */
  isPod: boolean;
}

function validateAddresses(addresses: readonly string[], expected: Expected, path: string): FieldError[] {
  if (addresses.length === 0) return [required(path, 'must contain at least 1 address')];
  if (addresses.length > most.addresses) return [tooMany(path, addresses.length, most.addresses)];
  return addresses.flatMap((address, index) => validateAddress(address, expected, path, `${path}[${index}]`));
}

function validateAddress(
  address: string,
  { type, isPod }: Expected,
  all: string,
  path: string,
): FieldError[] {
  if (type === 'FQDN') {
    const problems = dnsSubdomain(address);
    if (problems.length === 0 && !address.includes('.'))
      problems.push('should be a domain with at least two segments separated by dots');
    return problems.map((each) => invalid(path, address, each));
  }
  if (type !== 'IPv4' && type !== 'IPv6') return [];
  if (!isIPv4(address) && !isIPv6(address))
    return [invalid(path, address, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')];
  const errors: FieldError[] = [];
  if ((type === 'IPv4') !== isIPv4(address)) errors.push(invalid(all, address, `must be an ${type} address`));
  const problem = isPod && isLoopback(address) ? undefined : unreachable(address);
  return problem === undefined ? errors : [...errors, invalid(path, address, problem)];
}

function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1';
}

/** Returns the problem of an address whose meaning differs from machine to machine. */
function unreachable(address: string): string | undefined {
  if (address === '0.0.0.0' || address === '::') return `may not be unspecified (${address})`;
  if (isLoopback(address)) return 'may not be in the loopback range (127.0.0.0/8, ::1/128)';
  if (/^169\.254\./.test(address) || /^fe[89ab]/i.test(address))
    return 'may not be in the link-local range (169.254.0.0/16, fe80::/10)';
  if (/^224\.0\.0\./.test(address) || /^ff.2:/i.test(address))
    return 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)';
  return undefined;
}

function validateZones(zones: readonly { name: string }[], path: string): FieldError[] {
  const names = new Set<string>();
  const errors = zones.length > most.zones ? [tooMany(path, zones.length, most.zones)] : [];
  for (const [index, { name }] of zones.entries()) {
    const at = `${path}[${index}].name`;
    if (names.has(name)) errors.push(duplicate(at, name));
    else errors.push(...labelValue(name).map((each) => invalid(at, name, each)));
    names.add(name);
  }
  return errors;
}

function validatePorts(ports: readonly EndpointPort[]): FieldError[] {
  if (ports.length > most.ports) return [tooMany('ports', ports.length, most.ports)];
  const names = new Set<string>();
  return ports.flatMap(({ name = '', protocol = '', appProtocol }, index) => {
    const at = `ports[${index}]`;
    const errors: FieldError[] = [];
    if (name !== '') errors.push(...dnsLabel(name).map((each) => invalid(`${at}.name`, name, each)));
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
    names.add(name);
    if (!protocols.includes(protocol)) errors.push(notSupported(`${at}.protocol`, protocol, protocols));
    if (appProtocol !== undefined)
      errors.push(
        ...qualifiedName(appProtocol).map((each) => invalid(`${at}.appProtocol`, appProtocol, each)),
      );
    return errors;
  });
}
