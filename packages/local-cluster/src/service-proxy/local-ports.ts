import type { LocalPorts } from '../objects/local-ports.ts';
import type { Ingress, Service, ServicePort } from '../objects/service.ts';

export const balancerAddress = '127.0.0.1';

/** Which port to listen on, the best first: the one it had, its own, and then any. */
export function candidates({ port }: ServicePort, before: LocalPorts): number[] {
  const had = before.get(port);
  return [...new Set(had === undefined ? [port, 0] : [had, port, 0])];
}

/** Another class is somebody else's business. */
export function isBalanced({ metadata, spec }: Service): boolean {
  return (
    spec.type === 'LoadBalancer' &&
    (spec.loadBalancerClass ?? balancerClass) === balancerClass &&
    metadata.deletionTimestamp === undefined
  );
}

const balancerClass = 'local-cluster/balancer';

export function isTcp({ protocol = 'TCP' }: ServicePort): boolean {
  return protocol === 'TCP';
}

/** What the Service says of it; `Proxy`: connections end here, and others go on from here. */
export function ingressOf({ spec }: Service): Ingress {
  return {
    ip: balancerAddress,
    ipMode: 'Proxy',
    ports: (spec.ports ?? []).map((each) => {
      const { port, protocol = 'TCP' } = each;
      return { port, protocol, ...(!isTcp(each) && { error: 'local-cluster/OnlyTCP' }) };
    }),
  };
}
