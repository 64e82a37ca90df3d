import type { EventType } from '@trimtab/kube/events/event-object.ts';
import type { Container, Pod } from '../objects/pod.ts';

/** The facts about a pod that its environment, volumes and mounts are made from. */
export interface PodContext {
  /** The latest observed object. Its status may be stale, so the addresses are passed separately. */
  pod: Pod;
  /** An existing folder for this pod only; it is removed with the pod. */
  folder: string;
  podIP: string;
  hostIP: string;
  /** Allocatable resources of the node, for a resourceFieldRef without a limit: `{ cpu: '2', memory: '4Gi' }`. */
  allocatable: Record<string, string>;
  /** Records an Event for the pod, or for one of its containers. */
  tell(type: EventType, reason: string, message: string, container?: string): void;
}

export interface ContainerContext extends PodContext {
  container: Container;
  /** An empty file of this machine that is mounted at the container's `terminationMessagePath`. */
  terminationLog: string;
  /** Variables that the kubelet adds (`PORT` where pods share an address). The container's own take precedence. */
  extraEnvironment: Record<string, string>;
}

/** A prerequisite is missing. The kubelet reports it as the container's waiting state and retries later. */
export interface NotReady {
  waiting: { reason: string; message: string };
}

/** Describes how to start the process of one container. */
export interface PreparedContainer {
  /** The complete environment; nothing of the kubelet's environment is added. */
  env: Record<string, string>;
  /** Folder of this machine in which `wrap(…)` is started. The wrapper itself changes to `workingDir`. */
  cwd: string;
  /** Expands `$(VAR)` in `command` and `args`. The command of the image is not expanded. */
  expand(words: readonly string[]): string[];
  /**
   * The command line that runs a program with the container's view of the file system. Each step must `exec`, so that
   * PID, exit code and signals are the program's. It also serves probes, hooks and `kubectl exec` while the container
   * runs.
   */
  wrap(command: readonly string[]): string[];
  /** Maps a path of the container to this machine, to find its program and its termination message. */
  hostPath(path: string): string;
}

/** Prepares environment, volumes and mounts of containers. Every method may be called again after a failure. */
export interface ContainerSetup {
  /** Sets up the pod's volumes before its first container starts, and refreshes them until `release`. */
  preparePod(place: PodContext, signal: AbortSignal): Promise<NotReady | undefined>;
  /** Called before each start of a container. */
  prepareContainer(place: ContainerContext, signal: AbortSignal): Promise<PreparedContainer | NotReady>;
  /** Called when the pod's containers have ended permanently, before its folder is removed. */
  release(uid: string): Promise<void>;
  close(): Promise<void>;
}
