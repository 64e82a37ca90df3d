import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Identifies a process. Its number alone is not sufficient, because numbers are reused. `since` is the boot ID and the
 * start time in the kernel on Linux, and the start time that `ps` prints on other systems.
 */
export interface ProcessIdentity {
  pid: number;
  since: string;
}

/** Returns undefined for a process that has exited, including a zombie that its parent has not reaped yet. */
export function identify(pid: number): ProcessIdentity | undefined {
  const since = process.platform === 'linux' ? sinceFromProc(pid) : sinceFromPs(pid);
  return since === undefined ? undefined : { pid, since };
}

export function isAlive(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.since === identity.since;
}

/** Sends the signal only if the process still has this identity. */
export function signal(identity: ProcessIdentity, name: NodeJS.Signals): void {
  if (!isAlive(identity)) return;
  try {
    process.kill(identity.pid, name);
  } catch (error) {
    // The process may exit between the check and the signal.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Parses the start time, in clock ticks since boot, from /proc/PID/stat. Returns undefined for a zombie. */
export function startTicks(stat: string): string | undefined {
  // The second field is the command in parentheses, which may itself contain spaces and parentheses.
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
    return undefined; // ps fails when the process does not exist
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
