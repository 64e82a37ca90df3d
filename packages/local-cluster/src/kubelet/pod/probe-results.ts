import type { Writable } from 'node:stream';
import type { LocalPorts } from '../../objects/local-ports.ts';
import type { Container, Pod } from '../../objects/pod.ts';
import type { PreparedContainer } from '../container-setup.ts';
import type { LiveOutput } from '../runtime/live-output.ts';
import type { Terminal } from '../runtime/terminal.ts';

interface Attachment {
  output: LiveOutput;
  stdin?: Writable;
  terminal?: Terminal;
  /** Resolves when the container has ended and all of its output has been delivered. */
  ended: Promise<unknown>;
}

/** A running container, with the facts that probes, hooks and exec need. */
export interface RunningContainer {
  pod: Pod;
  container: Container;
  id: string;
  pid: number;
  podIP: string;
  /** Local ports of the pod when it shares its address; empty otherwise. */
  ports: LocalPorts;
  prepared: PreparedContainer;
  /** The command line that runs a command in the container. */
  join(command: readonly string[]): string[];
  /** The streams for `kubectl attach`. */
  attachment: Attachment;
  /** Records a Warning Event for the container. */
  warn(reason: string, message: string): void;
}

/** The current result of a container's probes. */
export interface ProbeVerdict {
  started: boolean;
  ready: boolean;
  /** The failed probe. The container must be stopped, and restarted if its restart policy allows it. */
  failed?: 'liveness' | 'startup';
}

export interface Probes {
  /** Starts probing a container after its postStart hook has completed. Calls `changed` for each new verdict. */
  begin(running: RunningContainer, changed: () => void): void;
  /** Stops probing a container that has ended. Its verdict is kept until its exit has been recorded. */
  stop(containerId: string): void;
  /** Drops the verdict after the exit has been recorded. */
  forget(containerId: string): void;
  /** A container without a preceding `begin` is neither started nor ready. */
  verdictOf(containerId: string): ProbeVerdict;
}
