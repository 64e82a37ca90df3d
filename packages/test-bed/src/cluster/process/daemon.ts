import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import type { BedFolder } from '../state/bed-folder.ts';
import { BedError } from '../terminal/bed-error.ts';
import { isAlive, type ProcessIdentity, signal } from './identity.ts';
import { waitFor } from './wait-for.ts';

export interface DaemonSpec {
  name: string;
  command: readonly string[];
  env?: Record<string, string>;
  /** Opens an IPC channel, which the relay needs. */
  ipc?: boolean;
}

/**
 * The process records its identity before it executes the daemon. Therefore every running daemon is recorded, even when
 * the command that starts it is killed at this moment.
 */
const recordThenExec = `
file=$1; shift
if read -r stat </proc/$$/stat 2>/dev/null; then
  read -r boot </proc/sys/kernel/random/boot_id
  since="$boot $(set -- \${stat##*) }; echo "\${20}")"
else
  since=$(ps -o lstart= -p $$ | xargs)
fi
printf '%s\\n%s\\n' "$$" "$since" >"$file.new" && mv "$file.new" "$file" && exec "$@"`;

/** Starts the daemon unless it is running. It is detached: it outlives the command, and Ctrl-C does not reach it. */
export async function ensureDaemon(folder: BedFolder, spec: DaemonSpec): Promise<'running' | ChildProcess> {
  if (isDaemonAlive(folder, spec.name)) return 'running';
  const log = openSync(folder.log(spec.name), 'a');
  const child = spawn('/bin/sh', ['-c', recordThenExec, 'sh', folder.pid(spec.name), ...spec.command], {
    cwd: '/',
    detached: true,
    env: { ...process.env, ...spec.env },
    stdio: spec.ipc ? ['ignore', log, log, 'ipc'] : ['ignore', log, log],
  });
  closeSync(log);
  await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
  child.unref();
  await waitFor({
    what: `${spec.name} to start`,
    seconds: 10,
    probe: () => readRecord(folder, spec.name)?.pid === child.pid || child.exitCode !== null,
  });
  return child;
}

export function isDaemonAlive(folder: BedFolder, name: string): boolean {
  const record = readRecord(folder, name);
  return record !== undefined && isAlive(record);
}

/** Throws with the end of its log when the daemon has exited. */
export function requireAlive(folder: BedFolder, name: string): void {
  if (!isDaemonAlive(folder, name)) throw new BedError(`${name} has exited`, lastLogLines(folder, name));
}

export function lastLogLines(folder: BedFolder, name: string, lines = 12): string[] {
  const file = folder.log(name);
  if (!existsSync(file)) return [];
  return [`last lines of ${file}:`, ...readFileSync(file, 'utf8').trimEnd().split('\n').slice(-lines)];
}

/**
 * Kills the named daemons and waits until they have exited. SIGKILL is safe: either the bed's data is removed too, or
 * the program (etcd, containerd) is built to survive a crash.
 */
export async function killDaemons(folder: BedFolder, names: readonly string[]): Promise<void> {
  const records = names.map((name) => readRecord(folder, name)).filter((each) => each !== undefined);
  for (const record of records) signal(record, 'SIGKILL');
  await waitFor({
    what: `${names.join(', ')} to exit`,
    seconds: 10,
    probe: () => !records.some(isAlive),
  });
}

/** The names of all daemons with a record in this bed, in no particular order. */
export function recordedDaemons(folder: BedFolder): string[] {
  if (!existsSync(folder.at('pid'))) return [];
  return readdirSync(folder.at('pid')).filter((name) => !name.endsWith('.new'));
}

export function readRecord(folder: BedFolder, name: string): ProcessIdentity | undefined {
  try {
    const [pid = '', since = ''] = readFileSync(folder.pid(name), 'utf8').split('\n');
    return { pid: Number(pid), since };
  } catch {
    return undefined;
  }
}
