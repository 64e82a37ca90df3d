import { realpathSync } from 'node:fs';
import { type Action, type Attempt, type Outcome, succeeded, unreachable } from './outcome.ts';
import { readProcess, readProcesses } from './process-table.ts';
import { type ProcessSelector, selectProcesses } from './select-processes.ts';
import { sendSignal } from './send-signal.ts';

interface SignalActionOptions {
  signal: NodeJS.Signals;
  selector: ProcessSelector;
  configRoot: string;
}

/** Signals processes of other containers, which requires `shareProcessNamespace` of the pod. */
export function signalAction({ signal, selector, configRoot }: SignalActionOptions): Action {
  const which =
    'process' in selector
      ? `process ${selector.process}`
      : `the processes of container ${selector.container}`;
  return {
    name: `${signal} to ${which}`,
    async run({ writtenAtTicks }: Attempt): Promise<Outcome> {
      const self = readProcess(process.pid);
      if (self === undefined) return unreachable('/proc is not readable; signals need Linux');
      const found = selectProcesses(readProcesses(), selector, {
        self,
        configRoot: realpathSync(configRoot),
      });
      if (found.length === 0)
        return unreachable(
          `there is no ${'process' in selector ? `process ${selector.process}` : `process of container ${selector.container}`} that mounts the volume of ${configRoot}. Set shareProcessNamespace: true in the pod.`,
        );
      const outcomes = await Promise.all(found.map((process) => sendSignal(process, signal, writtenAtTicks)));
      return outcomes.find((outcome) => !outcome.ok) ?? succeeded;
    },
  };
}
