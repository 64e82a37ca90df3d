import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type Outcome, succeeded, undeliverable, unreachable } from './outcome.ts';
import type { Process } from './process.ts';
import { readProcess } from './process-table.ts';
import { signalEffect } from './signal-effect.ts';

/** Clock ticks per second of /proc on all Linux systems. */
const ticksPerSecond = 100;

/**
 * A program that waits for a signal (sigwait, signalfd) blocks it while it sleeps. A program without a handler blocks all
 * signals for a moment when it starts another program, and the signal would end it afterwards.
 */
const blocked = { sleepingSamples: 3, samples: 20, everyMs: 2 };

/** Time since boot, comparable with the start time of a process; Infinity on a system without /proc. */
export function ticksSinceBoot(): number {
  try {
    // Rounded, because the seconds have two decimals and their product may be slightly less than the integer.
    return Math.round(Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * ticksPerSecond);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/**
 * Sends a signal to a process, unless the process started after the files were written, and unless the signal would end
 * it. `unreachable` means that the process does not handle the signal yet.
 */
export async function sendSignal(
  { pid, startTicks, command }: Process,
  signal: NodeJS.Signals,
  writtenAtTicks: number,
): Promise<Outcome> {
  const which = `process ${pid} (${command})`;
  let sleeping = 0;
  for (let sample = 1; sample <= blocked.samples; sample++) {
    const process = readProcess(pid);
    // The PID may belong to another process by now.
    if (process === undefined || process.startTicks !== startTicks) return unreachable(`${which} has ended`);
    if (startTicks > writtenAtTicks) return succeeded;
    const effect = signalEffect(signal, process.signals);
    if (effect === 'ends the process')
      return unreachable(`${which} has no handler for ${signal}, which would end it`, { isUntouched: true });
    if (effect === 'ignored') return undeliverable(`${which} ignores ${signal}. Choose another signal.`);
    if (effect === 'blocked' && process.isSleeping) sleeping += 1;
    if (effect === 'handled' || sleeping === blocked.sleepingSamples) return kill(process, signal, which);
    await delay(blocked.everyMs);
  }
  return unreachable(`${which} blocks ${signal} at the moment`, { isUntouched: true });
}

function kill({ pid, uid }: Process, signal: NodeJS.Signals, which: string): Outcome {
  try {
    process.kill(pid, signal);
    return succeeded;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ESRCH') return unreachable(`${which} has ended`);
    if (code !== 'EPERM') return undeliverable(`cannot send ${signal} to ${which}: ${message}`);
    const own = process.getuid?.();
    return undeliverable(
      `user ${own} may not send ${signal} to ${which} of user ${uid}. Run the agent with runAsUser: ${uid}, or as root with the capability KILL.`,
    );
  }
}
