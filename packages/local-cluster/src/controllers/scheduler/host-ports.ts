import type { ContainerPort, PodSpec } from '../../objects/pod.ts';

const everywhere = '0.0.0.0';

/** The host ports that a running pod occupies. */
export function hostPorts({ containers, initContainers = [] }: PodSpec): ContainerPort[] {
  const sidecars = initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...containers, ...sidecars].flatMap(({ ports = [] }) => ports.filter(({ hostPort }) => hostPort));
}

export function portsConflict(one: ContainerPort, other: ContainerPort): boolean {
  const { hostIP: here = everywhere, protocol = 'TCP' } = one;
  const { hostIP: there = everywhere, protocol: theirs = 'TCP' } = other;
  const sharesAddress = here === there || here === everywhere || there === everywhere;
  return one.hostPort === other.hostPort && protocol === theirs && sharesAddress;
}
