import { join } from 'node:path';
import type { KubeClient } from '@trimtab/kube/client.ts';
import { type Clock, systemClock } from '@trimtab/kube/clock.ts';
import { createEventRecorder } from '@trimtab/kube/events/recorder.ts';
import type { HttpServer } from '@trimtab/kube/http/http-server.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { pods } from '@trimtab/kube/resource.ts';
import type { MaterialSource } from '@trimtab/kube/tls/material.ts';
import { Reflector } from '@trimtab/kube/watch/reflector.ts';
import type { Pod } from '../objects/pod.ts';
import type { ContainerSetup } from './container-setup.ts';
import { runHook } from './hooks/run-hook.ts';
import { type Catalogue, withBuiltInImages } from './images/catalogue.ts';
import { type AddressMode, chooseAddresses } from './network/address-mode.ts';
import { podNetwork } from './network/pod-network.ts';
import { keepNode, registerNode } from './node/keep-node.ts';
import { readMachine } from './node/machine.ts';
import { nodeCapacity } from './node/node-object.ts';
import { type BackOffLimits, usualBackOff } from './pod/back-off.ts';
import { fieldPathOf } from './pod/container-roles.ts';
import type { RunHook } from './pod/hooks.ts';
import type { KubeletServices } from './pod/kubelet-services.ts';
import { podsFolder } from './pod/pod-folder.ts';
import { PodWorkers } from './pod/pod-workers.ts';
import type { Probes } from './pod/probe-results.ts';
import { recoverPods } from './pod/recover.ts';
import { containerProbes } from './probes/container-probes.ts';
import { OutputPipes } from './runtime/output-pipes.ts';
import { Sweeper } from './runtime/sweeper.ts';
import type { ContainerAccess } from './server/container-access.ts';
import { startKubeletServer } from './server/kubelet-server.ts';

export interface KubeletOptions {
  client: KubeClient;
  log: Logger;
  /** Holds the state that must survive a restart: PIDs, addresses, logs. */
  stateDir: string;
  nodeName: string;
  /** Environment, volumes and mounts. */
  setup: ContainerSetup;
  /** Added to the built-in images. */
  images?: Catalogue;
  probes?: Probes;
  runHook?: RunHook;
  /** Certificate of the kubelet's server, which serves logs and exec to the API server. Without it, no server runs. */
  serving?: MaterialSource;
  /** Optional; defaults to what this machine supports. */
  addresses?: AddressMode;
  /** Back-off of crashing containers. Optional; defaults to Kubernetes' limits. */
  backOff?: Partial<BackOffLimits>;
  maxLogBytes?: number;
  clock?: Clock;
}

export interface Kubelet {
  /** Resolves when the node is Ready and its pods are known. */
  ready: Promise<void>;
  containers: ContainerAccess;
  /**
   * Ends all processes, each within its pod's grace period, or within `patienceSeconds` when that is shorter. A second
   * call with 0 kills the remaining processes at once. The Pod objects stay, and the next kubelet restarts them.
   */
  close(patienceSeconds?: number): Promise<void>;
}

const usualLogBytes = 10 * 1024 * 1024;

/** The kubelet of a node whose containers are processes of this machine. */
export function startKubelet(options: KubeletOptions): Kubelet {
  const { client, log, nodeName, clock = systemClock } = options;
  const stop = new AbortController();
  const { signal } = stop;
  const recorder = createEventRecorder({ client, component: 'kubelet', instance: nodeName, log, clock });
  const podsDir = podsFolder(options.stateDir);
  const { states, killed } = recoverPods(podsDir, clock.now());
  if (killed > 0) log.info({ processes: killed }, 'killed processes of an earlier run');
  const reflector = new Reflector<Pod>({
    name: 'kubelet-pods',
    client,
    resource: pods,
    fieldSelector: `spec.nodeName=${nodeName}`,
    projection: 'full',
    transform: (object) => object as Pod,
    indexes: {},
    log,
  });
  const workers = new PodWorkers(states, podsDir);
  const pipes = new OutputPipes(join(options.stateDir, 'pipes'));

  let server: HttpServer | undefined;
  const begin = async () => {
    const machine = await readMachine(nodeName, options.stateDir);
    const tell: KubeletServices['tell'] = (pod, type, reason, message, container) => {
      const { namespace = '', name = '', uid = '' } = pod.metadata;
      const fieldPath = container === undefined ? {} : { fieldPath: fieldPathOf(container) };
      const about = { apiVersion: 'v1', kind: 'Pod', namespace, name, uid, ...fieldPath };
      recorder.event(about, type, reason, message);
    };
    const services: KubeletServices = {
      client,
      clock,
      log,
      podsDir,
      setup: options.setup,
      probes: options.probes ?? containerProbes({ clock }),
      runHook: options.runHook ?? runHook,
      images: withBuiltInImages(process.execPath, options.images),
      network: podNetwork(options.stateDir, (options.addresses ?? (await chooseAddresses())).way),
      limits: { ...usualBackOff, ...options.backOff },
      maxLogBytes: options.maxLogBytes ?? usualLogBytes,
      allocatable: nodeCapacity(machine),
      sweeper: new Sweeper(),
      pipes,
      tell,
    };
    if (options.serving !== undefined) {
      const { serving: material } = options;
      const containers = workers.access();
      server = await startKubeletServer({ host: machine.address, port: 0, material, containers, log, clock });
    }
    const port = server?.port;
    const node = { client, clock, log, machine, signal, ...(port !== undefined && { port }) };
    await registerNode(node);
    const heartbeat = keepNode(node);
    const watch = reflector.run(signal);
    await reflector.waitForSync(signal);
    workers.begin(services, reflector);
    return Promise.all([heartbeat, watch]);
  };
  const begun = Promise.withResolvers<void>();
  const running = begin().then(
    () => {},
    (error: unknown) => begun.reject(error),
  );
  void workers.begun.then(() => begun.resolve());
  // A caller may not wait for `ready`, in which case the rejection must not be reported as unhandled.
  begun.promise.catch(() => {});
  let closing: Promise<void> | undefined;
  const end = async () => {
    await workers.ended;
    stop.abort(new DOMException('kubelet is shutting down', 'AbortError'));
    await running;
    await server?.close(0);
    pipes.close();
    await recorder.close(500);
  };
  return {
    ready: begun.promise,
    containers: workers.access(),
    close(patienceSeconds) {
      workers.leave(patienceSeconds);
      closing ??= end();
      return closing;
    },
  };
}
