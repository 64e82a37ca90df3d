import { isIPv6 } from 'node:net';
import { localPortsOf } from '../../objects/local-ports.ts';
import type { Node } from '../../objects/node.ts';
import type { Pod } from '../../objects/pod.ts';
import type { Endpoint, EndpointPort, Service, ServicePort } from '../../objects/service.ts';
import { isReady } from '../pods/pod-state.ts';

export type AddressType = 'IPv4' | 'IPv6';

/** Whether the pod has an address. A finished pod has released its address. */
export function hasAddress({ status }: Pod): boolean {
  const isDone = status?.phase === 'Succeeded' || status?.phase === 'Failed';
  return !isDone && addressesOf(status).length > 0;
}

function addressesOf(status: Pod['status']): string[] {
  const listed = (status?.podIPs ?? []).map(({ ip }) => ip);
  if (listed.length > 0) return listed;
  return status?.podIP ? [status.podIP] : [];
}

/** The endpoint of one pod in the slices of a Service. */
export function podEndpoint(
  { metadata, spec, status }: Pod,
  node: Node | undefined,
  service: Service,
  type: AddressType,
): Endpoint {
  const serving = isReady({ metadata, spec, ...(status && { status }) });
  const terminating = metadata.deletionTimestamp !== undefined;
  // Clients that read only `ready` must not send requests to a terminating pod.
  const ready = service.spec.publishNotReadyAddresses === true || (serving && !terminating);
  const { namespace = '', name = '', uid = '' } = metadata;
  const zone = node?.metadata.labels?.['topology.kubernetes.io/zone'];
  const isNamed = spec.hostname && spec.subdomain === service.metadata.name;
  return {
    addresses: addressesOf(status).filter((each) => isIPv6(each) === (type === 'IPv6')),
    conditions: { ready, serving, terminating },
    ...(isNamed && { hostname: spec.hostname }),
    ...(spec.nodeName && { nodeName: spec.nodeName }),
    targetRef: { kind: 'Pod', namespace, name, uid },
    ...(zone && { zone }),
  };
}

/** A named target port resolves per pod. The port is omitted when the pod has no port of this name. */
export function endpointPorts({ spec }: Service, pod: Pod): EndpointPort[] {
  // When pods share an address, each pod listens on a different local port.
  const local = localPortsOf(pod.metadata);
  return (spec.ports ?? []).flatMap((each): EndpointPort[] => {
    const { name = '', protocol = 'TCP', appProtocol } = each;
    const wanted = targetPort(each, pod);
    if (wanted === undefined) return [];
    const port = local.get(wanted) ?? wanted;
    return [{ name, protocol, port, ...(appProtocol !== undefined && { appProtocol }) }];
  });
}

function targetPort(
  { targetPort: wanted, port, protocol = 'TCP' }: ServicePort,
  { spec }: Pod,
): number | undefined {
  if (typeof wanted !== 'string') return wanted ?? port;
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...spec.containers, ...sidecars]
    .flatMap(({ ports = [] }) => ports)
    .find((each) => each.name === wanted && (each.protocol ?? 'TCP') === protocol)?.containerPort;
}
