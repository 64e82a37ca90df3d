import type { ProcessIdentity } from '../runtime/process-identity.ts';

/** How a container ended. */
export interface Exit {
  containerID: string;
  exitCode: number;
  /** `Completed`, `Error`, `StartError`, or `Unknown` when the exit was not observed. */
  reason: string;
  message?: string;
  startedAt: number;
  finishedAt: number;
  /** The kubelet stopped the container because a probe had failed. */
  byProbe?: boolean;
}

/** The container that is running or being created. */
interface CurrentContainer {
  id: string;
  startedAt: number;
  /** Missing while the process is being created; until then only its mark identifies it. */
  process?: ProcessIdentity;
}

export interface BackOff {
  ms: number;
  updatedAt: number;
}

/**
 * The kubelet's state of one container of a pod. `made`, `current`, `exit` and `lastExit` are stored on disk. The other
 * fields (such as `starting`, `waiting`, `retryAt` and `backOff`) are in memory only, as in the real kubelet.
 */
export interface ContainerRecord {
  /** Number of instances created so far. */
  made: number;
  current?: CurrentContainer;
  /** Exit of the latest instance, if it has ended. */
  exit?: Exit;
  /** Exit of the instance before the latest. */
  lastExit?: Exit;
  /** The instance ran before the kubelet was started, so initialization starts over. */
  fromBefore?: boolean;
  /** The container is starting, including its postStart hook. It is not reported as running until then. */
  starting?: boolean;
  /** Why the last start failed or is delayed. */
  waiting?: { reason: string; message: string };
  /** Earliest time of the next attempt to create the container. */
  retryAt?: number;
  /** Number of consecutive failures to create the container. */
  failures?: number;
  /** Time of the last such failure. */
  failedAt?: number;
  /** Message of the last failure if it concerned the image. */
  pullProblem?: string;
  backOff?: BackOff;
}

export type Records = ReadonlyMap<string, ContainerRecord>;

export type ContainerPhase = 'none' | 'starting' | 'running' | 'exited';

export function phaseOf(record: ContainerRecord | undefined): ContainerPhase {
  if (record?.starting) return 'starting';
  if (record?.current !== undefined) return 'running';
  return record?.exit === undefined ? 'none' : 'exited';
}
