import type { RunningContainer } from '../pod/probe-results.ts';
import type { ForwardTarget } from '../port-forward/forward-session.ts';

/** Which part of a container's log is asked for. */
export interface LogOptions {
  follow: boolean;
  /** Of the container before the present one. */
  previous: boolean;
  timestamps: boolean;
  tailLines?: number;
  /** Nothing from before, in milliseconds since the epoch. */
  since?: number;
  limitBytes?: number;
}

/** Why there is nothing to reach; the message is for the person who asked. */
export class ContainerUnreachable extends Error {
  override readonly name = 'ContainerUnreachable';
  readonly code: 400 | 404 | 500;

  constructor(code: 400 | 404 | 500, message: string) {
    super(message);
    this.code = code;
  }
}

/** What the kubelet's server needs of the kubelet. Methods throw a ContainerUnreachable. */
export interface ContainerAccess {
  running(namespace: string, pod: string, container: string): RunningContainer;
  /** Where the ports of a pod are. */
  ports(namespace: string, pod: string): ForwardTarget;
  logs(
    where: { namespace: string; pod: string; container: string },
    options: LogOptions,
    signal: AbortSignal,
  ): AsyncIterable<Uint8Array>;
}
