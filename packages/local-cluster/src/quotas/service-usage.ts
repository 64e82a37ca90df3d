import type { Amounts } from './amounts.ts';

export interface ChargedService {
  spec: { type?: string; ports?: { nodePort?: number }[]; allocateLoadBalancerNodePorts?: boolean };
}

export const serviceNames = ['services', 'services.loadbalancers', 'services.nodeports'];

/** Counts node ports from the spec's type, because they are allocated after admission. */
export function serviceUsage({ spec }: ChargedService): Amounts {
  return new Map([
    ['count/services', '1'],
    ['services', '1'],
    ['services.loadbalancers', spec.type === 'LoadBalancer' ? '1' : '0'],
    ['services.nodeports', String(nodePorts(spec))],
  ]);
}

function nodePorts({ type, ports = [], allocateLoadBalancerNodePorts }: ChargedService['spec']): number {
  if (type === 'LoadBalancer' && allocateLoadBalancerNodePorts === false)
    return ports.filter(({ nodePort }) => nodePort).length;
  return type === 'NodePort' || type === 'LoadBalancer' ? ports.length : 0;
}
