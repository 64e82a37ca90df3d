import type { PodNetwork } from '../pod/kubelet-services.ts';
import type { AddressMode } from './address-mode.ts';
import { PodAddresses } from './pod-addresses.ts';
import { PodPorts } from './pod-ports.ts';
import { podPorts } from './wanted-ports.ts';

const hostIP = '127.0.0.1';
const onHost = { ip: hostIP, ports: new Map<number, number>() };

/** `scope` distinguishes the local clusters of a machine: the state folder. */
export function podNetwork(scope: string, way: AddressMode['way']): PodNetwork {
  return way === 'own' ? ownAddresses(new PodAddresses(scope)) : sharedAddress(new PodPorts(scope));
}

/** Every pod has its own address, so all pods can listen on the same port. */
function ownAddresses(addresses: PodAddresses): PodNetwork {
  return {
    hostIP,
    async take({ metadata: { uid = '' }, spec }, had) {
      if (spec.hostNetwork) return onHost;
      // In an earlier run the pod may have shared the address of the host.
      const ip = had === undefined || had.ip === hostIP ? addresses.take(uid) : had.ip;
      return ip === undefined ? undefined : { ip, ports: onHost.ports };
    },
    keep(uid, { ip }) {
      if (ip !== hostIP) addresses.keep(uid, ip);
    },
    giveBack: (uid) => addresses.giveBack(uid),
  };
}

/** All pods share one address, and each port of a pod is mapped to a different port of that address. */
function sharedAddress(ports: PodPorts): PodNetwork {
  return {
    hostIP,
    async take({ metadata: { uid = '' }, spec }, had) {
      // A pod with hostNetwork uses the ports of its spec unmapped.
      if (spec.hostNetwork) return onHost;
      const taken = await ports.take(uid, podPorts(spec), had?.ports ?? onHost.ports);
      return taken && { ip: hostIP, ports: taken };
    },
    keep: (uid, address) => ports.keep(uid, address.ports),
    giveBack: (uid) => ports.giveBack(uid),
  };
}
