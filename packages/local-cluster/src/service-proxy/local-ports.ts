import type { LocalPorts } from '../objects/local-ports.ts';
import type { Ingress, Service, ServicePort } from '../objects/service.ts';

export const balancerAddress = '127.0.0.1';

/** Ports to try, in order of preference: the previous port, the port of the Service, any port. */
export function candidates({ port }: ServicePort, before: LocalPorts): number[] {
  const had = before.get(port);
  return [...new Set(had === undefined ? [port, 0] : [had, port, 0])];
}

/** Services of another load balancer class belong to another controller. */
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

/** The load balancer status of a Service. `Proxy` means that connections terminate here and are proxied to the pods. */
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
