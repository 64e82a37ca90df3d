import { readFileSync } from 'node:fs';

/**
 * PIDs are given out in turn, so that what a process leaves behind has a higher one than its own, unless the numbers
 * have begun anew meanwhile. The count of all processes there ever were tells whether they can have.
 */
export interface Birth {
  pid: number;
  /** Read before it was started; undefined where the system does not tell. */
  processesBefore: number | undefined;
}

/** No descendant of it has a lower PID. */
export function lowestDescendant(
  { pid, processesBefore }: Birth,
  { processesNow, highestPid }: { processesNow: number | undefined; highestPid: number },
): number {
  if (processesBefore === undefined || processesNow === undefined) return 0;
  return processesNow - processesBefore < highestPid - pid ? pid + 1 : 0;
}

/** Started since the machine was, threads included. */
export function processesSoFar(): number | undefined {
  try {
    const [, count] = /^processes (\d+)$/m.exec(readFileSync('/proc/stat', 'latin1')) ?? [];
    return count === undefined ? undefined : Number(count);
  } catch {
    return undefined;
  }
}

let highest: number | undefined;

/** 0 where the system does not tell. */
export function highestPid(): number {
  try {
    highest ??= Number(readFileSync('/proc/sys/kernel/pid_max', 'latin1')) || 0;
  } catch {
    highest = 0;
  }
  return highest;
}
