import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Clock } from '@trimtab/kube/clock.ts';
import type { EventType } from '@trimtab/kube/events/event-object.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import type { LocalPorts } from '../../objects/local-ports.ts';
import type { Pod } from '../../objects/pod.ts';
import type { ContainerSetup } from '../container-setup.ts';
import type { Catalogue } from '../images/catalogue.ts';
import type { OutputPipes } from '../runtime/output-pipes.ts';
import type { Sweeper } from '../runtime/sweeper.ts';
import type { BackOffLimits } from './back-off.ts';
import type { PodContainer } from './container-roles.ts';
import type { RunHook } from './hooks.ts';
import type { Probes } from './probe-results.ts';

/** Services that all pods of a node share. */
export interface KubeletServices {
  client: KubeClient;
  clock: Clock;
  log: Logger;
  podsDir: string;
  setup: ContainerSetup;
  probes: Probes;
  runHook: RunHook;
  images: Catalogue;
  network: PodNetwork;
  limits: BackOffLimits;
  maxLogBytes: number;
  allocatable: Record<string, string>;
  sweeper: Sweeper;
  pipes: OutputPipes;
  /** Records an Event for a pod or for one of its containers. */
  tell(pod: Pod, type: EventType, reason: string, message: string, container?: PodContainer): void;
}

/** The address of a pod. */
export interface PodAddress {
  ip: string;
  /** Local ports by port of the manifest. Empty when the pod has its own address and uses its ports unmapped. */
  ports: LocalPorts;
}

export interface PodNetwork {
  hostIP: string;
  /** `had` is the address before the kubelet was started. Returns undefined when no address is available. */
  take(pod: Pod, had: PodAddress | undefined): Promise<PodAddress | undefined>;
  /** Reserves the address that the pod had, until it is taken again or released. */
  keep(uid: string, address: PodAddress): void;
  giveBack(uid: string): void;
}
