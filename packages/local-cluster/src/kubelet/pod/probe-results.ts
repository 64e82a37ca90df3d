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
  /** Resolves when it has ended and all of its output was told. */
  ended: Promise<unknown>;
}

/** A container that runs: what probes, hooks and exec need to reach it. */
export interface RunningContainer {
  pod: Pod;
  container: Container;
  id: string;
  pid: number;
  podIP: string;
  /** What the ports of its pod are there, where that is not its own. */
  ports: LocalPorts;
  prepared: PreparedContainer;
  /** The command line that runs a command in it. */
  join(command: readonly string[]): string[];
  /** What `kubectl attach` reaches. */
  attachment: Attachment;
  /** An Event about it. */
  warn(reason: string, message: string): void;
}

/** What the probes of a container say now. */
export interface ProbeVerdict {
  started: boolean;
  ready: boolean;
  /** It is to be ended, and started anew where its restart policy allows it. */
  failed?: 'liveness' | 'startup';
}

export interface Probes {
  /** Called when it runs and its postStart hook is through; `changed` is to be called with each new verdict. */
  begin(running: RunningContainer, changed: () => void): void;
  /** Called when it has ended: it is asked no more, and its verdict stays until that is known of it. */
  stop(containerId: string): void;
  /** Called when everybody knows that it has ended. */
  forget(containerId: string): void;
  /** Of a container that `begin` was not called for: neither started nor ready. */
  verdictOf(containerId: string): ProbeVerdict;
}
