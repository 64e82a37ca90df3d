import { join } from 'node:path';
import type { KubeClient } from '../kube/client.ts';
import { systemClock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import { createMaterial } from '../platform/tls/material.ts';
import type { ApiServer } from './apiserver/server.ts';
import { runHook } from './kubelet/hooks/run-hook.ts';
import type { Catalogue } from './kubelet/images/catalogue.ts';
import { type Kubelet, startKubelet } from './kubelet/kubelet.ts';
import type { BackOffLimits } from './kubelet/pod/back-off.ts';
import { containerProbes } from './kubelet/probes/container-probes.ts';
import { type ContainerAccess, ContainerUnreachable } from './kubelet/server/container-access.ts';
import { startKubeletServer } from './kubelet/server/kubelet-server.ts';
import { setUpContainers } from './kubelet/set-up-containers.ts';

export interface NodeOptions {
  /** Added to those that are built in. */
  images?: Catalogue;
  /** How long a container that ends again and again waits; Kubernetes' own unless told. */
  backOff?: Partial<BackOffLimits>;
  /** How often volumes are brought up to date. */
  refreshMs?: number;
}

export interface LocalNode {
  /** One line for people: how containers see what they mount. */
  mounts: string;
  /** Ends all processes within the grace of their pods. */
  close(): Promise<void>;
}

const nodeName = 'local';
const host = '127.0.0.1';

/** The one node of the local cluster: its kubelet, and the server that the API server asks for logs and commands. */
export async function startLocalNode(
  server: ApiServer,
  client: KubeClient,
  { stateDir, log, ...options }: NodeOptions & { stateDir: string; log: Logger },
): Promise<LocalNode> {
  const folder = join(stateDir, 'kubelet');
  const { hostname, port } = new URL(server.url);
  const setup = await setUpContainers({
    client,
    clock: systemClock,
    log,
    folder,
    apiServer: { host: hostname, port: Number(port) },
    ...(options.refreshMs !== undefined && { refreshMs: options.refreshMs }),
  });
  // Its server is asked for containers of the kubelet, which tells in its Node where that server is.
  let kubelet: Kubelet | undefined;
  const serving = server.certificateOfServer(nodeName, [host]);
  const endpoint = await startKubeletServer({
    host,
    port: 0,
    material: createMaterial({ ...serving, clientAuthority: server.authority }),
    containers: containerAccess(() => kubelet),
    log,
  });
  kubelet = startKubelet({
    client,
    log,
    stateDir: folder,
    nodeName,
    setup,
    probes: containerProbes({ clock: systemClock }),
    runHook,
    serverPort: () => endpoint.port,
    ...(options.images && { images: options.images }),
    ...(options.backOff && { backOff: options.backOff }),
  });
  const running = kubelet;
  await running.ready;
  return {
    mounts: setup.mountsLine,
    async close() {
      await running.close();
      await endpoint.close(0);
      await setup.close();
    },
  };
}

function containerAccess(kubelet: () => Kubelet | undefined): ContainerAccess {
  const here = (pod: string) => {
    const found = kubelet();
    if (found === undefined) throw new ContainerUnreachable(400, `pod "${pod}" is not known yet`);
    return found;
  };
  return {
    running(namespace, pod, container) {
      const found = here(pod).running({ namespace, name: pod }, container);
      if (found === undefined) throw new ContainerUnreachable(500, `container not running (${container})`);
      return found;
    },
    async *logs({ namespace, pod, container }, options, signal) {
      try {
        yield* here(pod).readLog({ namespace, name: pod }, container, options, signal);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
        const which = `container "${container}" in pod "${pod}"`;
        const why = options.previous
          ? `previous terminated ${which} not found`
          : `${which} is waiting to start: ContainerCreating`;
        throw new ContainerUnreachable(400, why);
      }
    },
  };
}
