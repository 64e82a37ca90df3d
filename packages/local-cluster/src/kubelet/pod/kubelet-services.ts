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

/** What all pods of a node share. */
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
  /** An Event about a pod, or a container of it. */
  tell(pod: Pod, type: EventType, reason: string, message: string, container?: PodContainer): void;
}

/** Where a pod is reached. */
export interface PodAddress {
  ip: string;
  /** What its ports are there; none where the address is its own, and each is what its manifest says. */
  ports: LocalPorts;
}

export interface PodNetwork {
  hostIP: string;
  /** `had`: what it had before the kubelet was started. Undefined when there is none left. */
  take(pod: Pod, had: PodAddress | undefined): Promise<PodAddress | undefined>;
  /** Nobody else gets what this pod had, until it is asked for again or given back. */
  keep(uid: string, address: PodAddress): void;
  giveBack(uid: string): void;
}
