import { readFileSync } from 'node:fs';
import { type Outcome, refused, succeeded, unreachable } from './outcome.ts';
import type { Process } from './process.ts';
import { readProcess } from './process-table.ts';
import { signalEffect } from './signal-effect.ts';

/** Clock ticks per second of /proc on all Linux systems. */
const ticksPerSecond = 100;

/** Time since boot, comparable with the start time of a process. */
export function ticksSinceBoot(): number {
  return Math.floor(Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * ticksPerSecond);
}

/**
 * Sends a signal to a process, unless the process started after the files were written, and unless the signal would end
 * it. `unreachable` means that the process does not handle the signal yet.
 */
export function sendSignal(
  { pid, startTicks, command }: Process,
  signal: NodeJS.Signals,
  writtenAtTicks: number,
): Outcome {
  const process = readProcess(pid);
  const which = `process ${pid} (${command})`;
  // The PID may belong to another process by now.
  if (process === undefined || process.startTicks !== startTicks) return unreachable(`${which} has ended`);
  if (startTicks > writtenAtTicks) return succeeded;
  switch (signalEffect(signal, process.signals)) {
    case 'ends the process':
      return unreachable(`${which} has no handler for ${signal}, which would end it`);
    case 'ignored':
      return refused(`${which} ignores ${signal}. Choose another --reload-signal.`);
    case 'handled':
      return kill(process, signal, which);
  }
}

function kill({ pid, uid }: Process, signal: NodeJS.Signals, which: string): Outcome {
  try {
    process.kill(pid, signal);
    return succeeded;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ESRCH') return unreachable(`${which} has ended`);
    if (code !== 'EPERM') return refused(`cannot send ${signal} to ${which}: ${message}`);
    const own = process.getuid?.();
    return refused(
      `user ${own} may not send ${signal} to ${which} of user ${uid}. Run the agent with runAsUser: ${uid}, or as root with the capability KILL.`,
    );
  }
}
