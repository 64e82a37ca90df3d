import type { PodNetwork } from '../pod/kubelet-services.ts';
import type { AddressWay } from './address-way.ts';
import { PodAddresses } from './pod-addresses.ts';
import { PodPorts } from './pod-ports.ts';
import { podPorts } from './wanted-ports.ts';

const hostIP = '127.0.0.1';
const onHost = { ip: hostIP, ports: new Map<number, number>() };

/** `scope` tells this cluster from others of the machine: its state folder. */
export function podNetwork(scope: string, way: AddressWay['way']): PodNetwork {
  return way === 'own' ? ownAddresses(new PodAddresses(scope)) : sharedAddress(new PodPorts(scope));
}

/** Every pod has an address of its own, so that all can listen on the same port. */
function ownAddresses(addresses: PodAddresses): PodNetwork {
  return {
    hostIP,
    async take({ metadata: { uid = '' }, spec }, had) {
      if (spec.hostNetwork) return onHost;
      // An earlier run may have made it share.
      const ip = had === undefined || had.ip === hostIP ? addresses.take(uid) : had.ip;
      return ip === undefined ? undefined : { ip, ports: onHost.ports };
    },
    keep(uid, { ip }) {
      if (ip !== hostIP) addresses.keep(uid, ip);
    },
    giveBack: (uid) => addresses.giveBack(uid),
  };
}

/** All pods share one address, and each port of a pod is another one there. */
function sharedAddress(ports: PodPorts): PodNetwork {
  return {
    hostIP,
    async take({ metadata: { uid = '' }, spec }, had) {
      // Who asks for the network of the machine means the ports that it names.
      if (spec.hostNetwork) return onHost;
      const taken = await ports.take(uid, podPorts(spec), had?.ports ?? onHost.ports);
      return taken && { ip: hostIP, ports: taken };
    },
    keep: (uid, address) => ports.keep(uid, address.ports),
    giveBack: (uid) => ports.giveBack(uid),
  };
}
