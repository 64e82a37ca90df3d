import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Which process, not just which number: numbers are used again. `since` is the boot's id and the kernel's start
 * time on Linux, the start time as `ps` prints it elsewhere.
 */
export interface ProcessIdentity {
  pid: number;
  since: string;
}

/** Nothing for a process that has ended, even while its parent has not collected it yet (a zombie). */
export function identify(pid: number): ProcessIdentity | undefined {
  const since = process.platform === 'linux' ? sinceFromProc(pid) : sinceFromPs(pid);
  return since === undefined ? undefined : { pid, since };
}

export function isAlive(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.since === identity.since;
}

/** Sends the signal to that very process, or to nobody. */
export function signal(identity: ProcessIdentity, name: NodeJS.Signals): void {
  if (!isAlive(identity)) return;
  try {
    process.kill(identity.pid, name);
  } catch (error) {
    // It may end between the look and the signal.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** The text of /proc/PID/stat to the start time in clock ticks since boot; nothing for a zombie. */
export function startTicks(stat: string): string | undefined {
  // The second field is the command in parentheses and may hold spaces and parentheses itself.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const state = fields[0];
  return state === 'Z' || state === 'X' ? undefined : fields[19];
}

function sinceFromProc(pid: number): string | undefined {
  const stat = readOrNothing(`/proc/${pid}/stat`);
  const ticks = stat === undefined ? undefined : startTicks(stat);
  return ticks === undefined ? undefined : `${bootId()} ${ticks}`;
}

function sinceFromPs(pid: number): string | undefined {
  try {
    const line = execFileSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    const [state = '', ...started] = line.split(/\s+/);
    return line === '' || state.startsWith('Z') ? undefined : started.join(' ');
  } catch {
    return undefined; // ps ends with an error when there is no such process
  }
}

let knownBootId: string | undefined;
function bootId(): string {
  knownBootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return knownBootId;
}

function readOrNothing(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
