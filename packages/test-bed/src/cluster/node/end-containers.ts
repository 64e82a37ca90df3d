import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { isDaemonAlive, killDaemons, readRecord, recordedDaemons } from '../process/daemon.ts';
import { waitFor } from '../process/wait-for.ts';
import type { BedFolder } from '../state/bed-folder.ts';
import { BedError } from '../terminal/bed-error.ts';
import { cgroupProcesses, removeCgroup } from './cgroups.ts';

/**
 * Kills all containers of the bed, and all other processes in its mount namespace: containerd's shims have no daemon
 * record. On level 1 there are none, and this does nothing.
 */
export async function endContainers(folder: BedFolder): Promise<void> {
  if (process.platform !== 'linux') return;
  const namespace = mountNamespace(folder);
  if (namespace !== undefined && namespace === namespaceOf('self'))
    throw new BedError('this command runs inside the bed that it would take down', [
      'Run it outside of the bed.',
    ]);
  // The kubelet would restart the containers.
  await killDaemons(folder, ['kubelet']);
  await waitFor({
    what: 'the containers to end',
    seconds: 20,
    probe: () => {
      const pids = [...cgroupProcesses(folder.id), ...shims(folder), ...inhabitants(folder, namespace)];
      for (const pid of pids) kill(pid);
      return pids.length === 0 && removeCgroup(folder.id);
    },
  });
}

/**
 * Determines the namespace from a running daemon of the bed that sees the mount that only the bed's namespace has. A
 * recorded namespace number could by now belong to another namespace.
 */
function mountNamespace(folder: BedFolder): string | undefined {
  const witness = recordedDaemons(folder)
    .filter((name) => isDaemonAlive(folder, name))
    .map((name) => String(readRecord(folder, name)?.pid))
    .find((pid) => readOrNothing(`/proc/${pid}/mountinfo`).includes(` ${folder.at('private')} `));
  return witness === undefined ? undefined : namespaceOf(witness);
}

function inhabitants(folder: BedFolder, namespace: string | undefined): number[] {
  if (namespace === undefined) return [];
  const recorded = new Set(recordedDaemons(folder).map((name) => readRecord(folder, name)?.pid));
  return processes().filter((pid) => !recorded.has(pid) && namespaceOf(String(pid)) === namespace);
}

/** The command line of a shim contains the address of its containerd. */
function shims(folder: BedFolder): number[] {
  const address = folder.at('containerd.sock');
  return processes().filter((pid) => {
    const words = commandLine(pid);
    return words[0]?.includes('containerd-shim') === true && words.includes(address);
  });
}

function processes(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function commandLine(pid: number): string[] {
  return readOrNothing(`/proc/${pid}/cmdline`).split('\0');
}

/** The process may have exited, or may belong to another user. */
function readOrNothing(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function namespaceOf(pid: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/mnt`);
  } catch {
    return undefined; // exited, or owned by another user
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
