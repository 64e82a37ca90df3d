import { join } from 'node:path';
import type { KubeClient } from '@trimtab/kube/client.ts';
import { systemClock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { createMaterial } from '@trimtab/kube/tls/material.ts';
import type { ApiServer } from './apiserver/server.ts';
import type { Catalogue } from './kubelet/images/catalogue.ts';
import { startKubelet } from './kubelet/kubelet.ts';
import { chooseMounts } from './kubelet/mounts/choose-mounts.ts';
import type { MountMode } from './kubelet/mounts/probe-mounts.ts';
import type { DeclaredPrograms } from './kubelet/mounts/program-mounts.ts';
import { type AddressMode, chooseAddresses, describeAddresses } from './kubelet/network/address-mode.ts';
import type { BackOffLimits } from './kubelet/pod/back-off.ts';
import { podsFolder } from './kubelet/pod/pod-folder.ts';
import { recoverPods } from './kubelet/pod/recover.ts';
import { setUpContainers } from './kubelet/set-up-containers.ts';

export interface NodeOptions {
  /** Images in addition to the built-in ones. */
  images?: Catalogue;
  /** Programs at paths that this machine lacks, such as the entrypoint of an image: `/app/server` → `node`, `server.ts`. */
  programs?: DeclaredPrograms;
  /** Backoff of containers that keep exiting. Defaults to the limits of Kubernetes. */
  backOff?: Partial<BackOffLimits>;
  /** Interval between updates of volumes. */
  refreshMs?: number;
  /**
   * Whether each pod has its own address, or all pods share 127.0.0.1 and get a `$PORT`. Defaults to what the system
   * supports.
   */
  podAddresses?: AddressMode['way'];
  /** Whether volumes are mounted at their real paths or under `$POD_ROOT`. Defaults to what the system supports. */
  mounts?: MountMode['way'];
}

export interface LocalNode {
  /** Lines for the user: how volumes are mounted in containers, and how pods are reached. */
  about: string[];
  /** Stops all processes within the grace periods of their pods. */
  close(): Promise<void>;
  /** Kills all remaining processes synchronously, for a process that is about to exit. */
  killAll(): void;
}

const nodeName = 'local';
const host = '127.0.0.1';

/** Starts the node of the local cluster: a kubelet whose containers are processes of this machine. */
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
    ...(options.programs && { programs: options.programs }),
  });
  const serving = server.certificateOfServer(nodeName, [host]);
  const kubelet = startKubelet({
    client,
    log,
    stateDir: folder,
    nodeName,
    setup,
    addresses,
    // The kubelet accepts only clients with a certificate of this CA, such as the API server.
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
