import { isIPv6 } from 'node:net';
import { localPortsOf } from '../../objects/local-ports.ts';
import type { Node } from '../../objects/node.ts';
import type { Pod } from '../../objects/pod.ts';
import type { Endpoint, EndpointPort, Service, ServicePort } from '../../objects/service.ts';
import { isReady } from '../pods/pod-state.ts';

export type AddressType = 'IPv4' | 'IPv6';

/** One that is done has given its address back. */
export function hasAddress({ status }: Pod): boolean {
  const isDone = status?.phase === 'Succeeded' || status?.phase === 'Failed';
  return !isDone && addressesOf(status).length > 0;
}

function addressesOf(status: Pod['status']): string[] {
  const listed = (status?.podIPs ?? []).map(({ ip }) => ip);
  if (listed.length > 0) return listed;
  return status?.podIP ? [status.podIP] : [];
}

/** What a Service says about one of its pods. */
export function podEndpoint(
  { metadata, spec, status }: Pod,
  node: Node | undefined,
  service: Service,
  type: AddressType,
): Endpoint {
  const serving = isReady({ metadata, spec, ...(status && { status }) });
  const terminating = metadata.deletionTimestamp !== undefined;
  // Who reads only `ready` must not send anything to a pod that is on its way out.
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

/** A port by its name is another number in each pod; where a pod has no such name, the Service has no such port. */
export function endpointPorts({ spec }: Service, pod: Pod): EndpointPort[] {
  // Where pods share an address, each of them has its port somewhere else.
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
