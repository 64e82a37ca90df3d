import type { ProcessIdentity } from '../runtime/process-identity.ts';

/** How a container ended. */
export interface Exit {
  containerID: string;
  exitCode: number;
  /** `Completed`, `Error`, `StartError`, or `Unknown` when nobody saw it. */
  reason: string;
  message?: string;
  startedAt: number;
  finishedAt: number;
  /** The kubelet ended it because a probe had failed. */
  byProbe?: boolean;
}

/** The container that runs now, or is just being made. */
interface CurrentContainer {
  id: string;
  startedAt: number;
  /** Missing while the process is being made: then it is found by its mark alone. */
  process?: ProcessIdentity;
}

export interface BackOff {
  ms: number;
  updatedAt: number;
}

/**
 * What the kubelet remembers of one container of a pod. `now` parts (`starting`, `waiting`, `retryAt`, `backOff`) live in
 * memory only, as in the real kubelet; the rest is on disk.
 */
export interface ContainerRecord {
  /** How many containers were made of it so far. */
  made: number;
  current?: CurrentContainer;
  /** Of the newest container, when it has ended. */
  exit?: Exit;
  /** Of the one before. */
  lastExit?: Exit;
  /** It ran before the kubelet was started: initialization begins anew. */
  fromBefore?: boolean;
  /** It is being started, its postStart hook included; until then it is not shown as running. */
  starting?: boolean;
  /** Why it was not started the last time. */
  waiting?: { reason: string; message: string };
  /** Not to be tried before. */
  retryAt?: number;
  /** How often in a row it could not be made, and when it last was so. */
  failures?: number;
  failedAt?: number;
  /** What was wrong with its image, if that was it. */
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
