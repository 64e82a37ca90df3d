import { freePort } from '../../../platform/free-port.ts';
import type { PodNetwork } from '../pod/kubelet-services.ts';
import { PodAddresses } from './pod-addresses.ts';

const hostIP = '127.0.0.1';

/** Every pod has an address of its own where the system has them (Linux); elsewhere each container gets a port. */
export function podNetwork(scope: string, platform: NodeJS.Platform = process.platform): PodNetwork {
  if (platform === 'linux') {
    const addresses = new PodAddresses(scope);
    return {
      hostIP,
      take: (uid) => addresses.take(uid),
      keep: (uid, address) => addresses.keep(uid, address),
      giveBack: (uid) => addresses.giveBack(uid),
      environmentOf: async (podIP) => ({ POD_IP: podIP }),
    };
  }
  return {
    hostIP,
    take: () => hostIP,
    keep: () => {},
    giveBack: () => {},
    environmentOf: async (podIP) => ({ POD_IP: podIP, PORT: String(await freePort()) }),
  };
}
