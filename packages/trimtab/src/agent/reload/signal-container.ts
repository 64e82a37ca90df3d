import { realpathSync } from 'node:fs';
import { type Action, type Outcome, succeeded, undeliverable, unreachable } from './outcome.ts';
import type { Process } from './process.ts';
import { readProcess, readProcesses } from './process-table.ts';
import { selectProcesses } from './select-processes.ts';
import { sendSignal } from './send-signal.ts';

interface SignalContainerOptions {
  signal: NodeJS.Signals;
  container: string;
  /** A volume that all containers of the pod mount. */
  volume: string;
}

/**
 * Signals the first process of a container in an injected pod. A container that does not run reads the files when it
 * starts, so there is nothing to tell it.
 */
export function signalContainer({ signal, container, volume }: SignalContainerOptions): Action {
  /** The process that was found last. Reading all processes takes longer than everything else in a reload. */
  let known: Process | undefined;
  return {
    name: `${signal} to container ${container}`,
    async run({ writtenAtTicks }): Promise<Outcome> {
      if (known === undefined || !isAlive(known)) {
        const self = readProcess(process.pid);
        if (self === undefined) return unreachable('/proc is not readable; signals need Linux');
        const processes = readProcesses();
        const surroundings = { self, configRoot: realpathSync(volume) };
        known = selectProcesses(processes, { container }, surroundings)[0];
        if (known === undefined) return whyNotSeen(self, processes) ?? succeeded;
      }
      return sendSignal(known, signal, writtenAtTicks);
    },
  };
}

/** The first process of a container is the first one as long as it lives. */
function isAlive({ pid, startTicks }: Process): boolean {
  const found = readProcess(pid);
  return found !== undefined && !found.isZombie && found.startTicks === startTicks;
}

/** Why the agent may not see the processes of a container that runs; undefined when it sees them all. */
function whyNotSeen(self: Process, processes: readonly Process[]): Outcome | undefined {
  if (self.pid === 1)
    return undeliverable(
      'the agent does not see the processes of other containers. Set shareProcessNamespace: true in the pod, or choose another way in the annotation trimtab.dev/reload.',
    );
  const hidden = processes.find(
    ({ arguments: words, isZombie, mounts }) => words.length > 0 && !isZombie && mounts.length === 0,
  );
  if (hidden === undefined) return undefined;
  return unreachable(
    `the mounts of process ${hidden.pid} (${hidden.command}) are hidden, so its container is not known`,
  );
}
