import type { RunningContainer } from '../pod/probe-results.ts';
import type { ForwardTarget } from '../port-forward/forward-session.ts';

/** The part of a container's log that a request selects. */
export interface LogOptions {
  follow: boolean;
  /** Selects the log of the previous container instance. */
  previous: boolean;
  timestamps: boolean;
  tailLines?: number;
  /** Earliest time of a line, in milliseconds since the epoch. */
  since?: number;
  limitBytes?: number;
}

/** A container or its log cannot be reached. The message is sent to the client. */
export class ContainerUnreachable extends Error {
  override readonly name = 'ContainerUnreachable';
  readonly code: 400 | 404 | 500;

  constructor(code: 400 | 404 | 500, message: string) {
    super(message);
    this.code = code;
  }
}

/** The kubelet as its server uses it. Methods throw a ContainerUnreachable. */
export interface ContainerAccess {
  running(namespace: string, pod: string, container: string): RunningContainer;
  /** Resolves the ports of a pod. */
  ports(namespace: string, pod: string): ForwardTarget;
  logs(
    where: { namespace: string; pod: string; container: string },
    options: LogOptions,
    signal: AbortSignal,
  ): AsyncIterable<Uint8Array>;
}
