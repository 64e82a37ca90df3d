import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Tells a process from every other that has, had or will have its PID. */
export interface ProcessIdentity {
  pid: number;
  /** When it began, as the system counts: on Linux the boot and its ticks, elsewhere what `ps` says. */
  began: string;
}

/** Undefined when there is no such process. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const began = process.platform === 'linux' ? beganByProc(pid) : beganByPs(pid);
  return began === undefined ? undefined : { pid, began };
}

/** Whether this very process is still there. A zombie is: its PID is not given away yet. */
export function isThere({ pid, began }: ProcessIdentity): boolean {
  return identityOf(pid)?.began === began;
}

let boot: string | undefined;

function beganByProc(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    // The name in parentheses may hold spaces and parentheses; the start time is the 20th field after it.
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    return `${boot}:${ticks}`;
  } catch {
    return undefined;
  }
}

function beganByPs(pid: number): string | undefined {
  try {
    const options = { encoding: 'utf8', env: { LC_ALL: 'C', PATH: '/bin:/usr/bin' } } as const;
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], options).trim() || undefined;
  } catch {
    return undefined;
  }
}
