import type { Container, Pod } from '../../objects/pod.ts';
import type { PreparedContainer } from '../container-setup.ts';

/** A container that runs: what probes, hooks and exec need to reach it. */
export interface RunningContainer {
  pod: Pod;
  container: Container;
  id: string;
  pid: number;
  podIP: string;
  prepared: PreparedContainer;
  /** The command line that runs a command in it. */
  join(command: readonly string[]): string[];
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
