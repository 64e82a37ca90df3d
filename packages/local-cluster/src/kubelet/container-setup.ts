import type { EventType } from '@trimtab/kube/events/event-object.ts';
import type { Container, Pod } from '../objects/pod.ts';

/** What the kubelet knows of a pod when it asks for its environment, volumes and mounts. */
export interface PodPlace {
  /** The newest version of the object; its status may be behind, so addresses are given apart. */
  pod: Pod;
  /** A folder of this pod alone, there already; it is removed when the pod is gone. */
  folder: string;
  podIP: string;
  hostIP: string;
  /** What the node can give, for resourceFieldRef without a limit: `{ cpu: '2', memory: '4Gi' }`. */
  allocatable: Record<string, string>;
  /** An Event about the pod, or about one container of it. */
  tell(type: EventType, reason: string, message: string, container?: string): void;
}

export interface ContainerPlace extends PodPlace {
  container: Container;
  /** An empty file of this machine; the container finds it at its `terminationMessagePath`. */
  terminationLog: string;
  /** Variables of the kubelet (`PORT` where pods share an address); the container's own win. */
  extraEnvironment: Record<string, string>;
}

/** It cannot be had now. The kubelet shows it as the container's waiting state and asks again later. */
export interface NotReady {
  waiting: { reason: string; message: string };
}

/** How the process of one container is to be started. */
export interface PreparedContainer {
  /** All of it: nothing of the kubelet's own environment is added. */
  env: Record<string, string>;
  /** Folder of this machine in which `wrap(…)` is started; inside, the wrapper goes to `workingDir` itself. */
  cwd: string;
  /** `$(VAR)` replaced, for `command` and `args`. What comes from the image is not expanded. */
  expand(words: readonly string[]): string[];
  /**
   * The command line that gives the program its view of the files. It has to `exec`, so that PID, exit code and
   * signals are the program's. Also for what is run beside the program while it lives: probes, hooks, `kubectl exec`.
   */
  wrap(command: readonly string[]): string[];
  /** Where a path of the container lies on this machine: to find its program, and its termination message. */
  hostPath(path: string): string;
}

/** Environment, volumes and mounts, behind one door. Everything may be called again after a failure. */
export interface ContainerSetup {
  /** Volumes of the pod, before its first container; refreshed from then on, until `release`. */
  preparePod(place: PodPlace, signal: AbortSignal): Promise<NotReady | undefined>;
  /** Before each start of a container. */
  prepareContainer(place: ContainerPlace, signal: AbortSignal): Promise<PreparedContainer | NotReady>;
  /** The pod's containers have ended for good; its folder is removed afterwards. */
  release(uid: string): Promise<void>;
  close(): Promise<void>;
}
