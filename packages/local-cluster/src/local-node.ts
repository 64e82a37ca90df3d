import { join } from 'node:path';
import type { KubeClient } from '@trimtab/kube/client.ts';
import { systemClock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { createMaterial } from '@trimtab/kube/tls/material.ts';
import type { ApiServer } from './apiserver/server.ts';
import type { Catalogue } from './kubelet/images/catalogue.ts';
import { startKubelet } from './kubelet/kubelet.ts';
import { chooseMounts } from './kubelet/mounts/choose-mounts.ts';
import type { MountWay } from './kubelet/mounts/probe-mounts.ts';
import { type AddressWay, chooseAddresses, describeAddresses } from './kubelet/network/address-way.ts';
import type { BackOffLimits } from './kubelet/pod/back-off.ts';
import { podsFolder } from './kubelet/pod/pod-folder.ts';
import { recoverPods } from './kubelet/pod/recover.ts';
import { setUpContainers } from './kubelet/set-up-containers.ts';

export interface NodeOptions {
  /** Added to those that are built in. */
  images?: Catalogue;
  /** How long a container that ends again and again waits; Kubernetes' own unless told. */
  backOff?: Partial<BackOffLimits>;
  /** How often volumes are brought up to date. */
  refreshMs?: number;
  /** Whether each pod has an address of its own, or all share 127.0.0.1 and get a `$PORT`; by what the system can unless told. */
  podAddresses?: AddressWay['way'];
  /** Whether volumes are at their real paths, or under `$POD_ROOT`; by what the system can unless told. */
  mounts?: MountWay['way'];
}

export interface LocalNode {
  /** For people, a line each: how containers see what they mount, and where pods are reached. */
  about: string[];
  /** Ends all processes within the grace of their pods. */
  close(): Promise<void>;
  /** Kills what is left of them before it returns: for a process that has no time. */
  killAll(): void;
}

const nodeName = 'local';
const host = '127.0.0.1';

/** The one node of the local cluster: a kubelet whose containers are processes of this machine. */
export async function startLocalNode(
  server: ApiServer,
  client: KubeClient,
  { stateDir, log, ...options }: NodeOptions & { stateDir: string; log: Logger },
): Promise<LocalNode> {
  const folder = join(stateDir, 'kubelet');
  const { hostname, port } = new URL(server.url);
  const addresses = await chooseAddresses(options.podAddresses);
  const mounts = await chooseMounts(folder, options.mounts);
  log.info({ way: addresses.way }, describeAddresses(addresses));
  const setup = await setUpContainers({
    client,
    clock: systemClock,
    log,
    folder,
    mounts,
    apiServer: { host: hostname, port: Number(port) },
    ...(options.refreshMs !== undefined && { refreshMs: options.refreshMs }),
  });
  const serving = server.certificateOfServer(nodeName, [host]);
  const kubelet = startKubelet({
    client,
    log,
    stateDir: folder,
    nodeName,
    setup,
    addresses,
    // Only the API server is answered: it has a certificate of the same authority.
    serving: createMaterial({ ...serving, clientAuthority: server.authority }),
    ...(options.images && { images: options.images }),
    ...(options.backOff && { backOff: options.backOff }),
  });
  await kubelet.ready;
  return {
    about: [setup.mountsLine, describeAddresses(addresses)],
    async close() {
      await kubelet.close();
      await setup.close();
    },
    killAll: () => void recoverPods(podsFolder(folder), systemClock.now()),
  };
}
