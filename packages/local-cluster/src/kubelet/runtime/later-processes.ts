import { readFileSync } from 'node:fs';

/**
 * The system assigns PIDs in ascending order, so a descendant has a higher PID than its ancestor unless the PIDs have
 * wrapped around. The count of all processes ever started tells whether a wrap is possible.
 */
export interface Birth {
  pid: number;
  /** Count of processes read before this one was started; undefined where the system does not report it. */
  processesBefore: number | undefined;
}

/** Returns a lower bound for the PIDs of the process's descendants; 0 when none is known. */
export function lowestDescendant(
  { pid, processesBefore }: Birth,
  { processesNow, highestPid }: { processesNow: number | undefined; highestPid: number },
): number {
  if (processesBefore === undefined || processesNow === undefined) return 0;
  return processesNow - processesBefore < highestPid - pid ? pid + 1 : 0;
}

/** Count of processes and threads started since boot. */
export function processesSoFar(): number | undefined {
  try {
    const [, count] = /^processes (\d+)$/m.exec(readFileSync('/proc/stat', 'latin1')) ?? [];
    return count === undefined ? undefined : Number(count);
  } catch {
    return undefined;
  }
}

let highest: number | undefined;

/** The system's maximum PID; 0 where the system does not report it. */
export function highestPid(): number {
  try {
    highest ??= Number(readFileSync('/proc/sys/kernel/pid_max', 'latin1')) || 0;
  } catch {
    highest = 0;
  }
  return highest;
}
