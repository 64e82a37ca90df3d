import { readdirSync } from 'node:fs';
import { readProcess } from '../reload/process-table.ts';
import { isOwnChild } from './own-children.ts';

/**
 * Reaps processes whose parent ended before them. As the first process of a container, the agent becomes their parent,
 * and they stay zombies until it waits for them. The runtime waits only for children that it started itself, so the
 * others need `waitpid` of the C library, which only Bun can call. On Node, zombies stay.
 */
export async function reapOrphans(): Promise<void> {
  if (process.pid !== 1 || process.versions['bun'] === undefined) return;
  const waitpid = await loadWaitpid();
  process.on('SIGCHLD', () => {
    for (const pid of orphanedZombies()) waitpid(pid);
  });
}

function orphanedZombies(): number[] {
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid) || isOwnChild(pid)) return [];
    const found = readProcess(pid);
    return found?.isZombie && found.parent === process.pid ? [pid] : [];
  });
}

interface BunFfi {
  dlopen(
    library: string,
    symbols: { waitpid: { args: string[]; returns: string } },
  ): { symbols: { waitpid(pid: number, status: null, options: number): number } };
}

/** Returns a function that takes the exit status of a zombie, without waiting. */
async function loadWaitpid(): Promise<(pid: number) => void> {
  // The name is not written as a literal because only Bun knows the module.
  const name: string = 'bun:ffi';
  const ffi: BunFfi = await import(name);
  const wnohang = 1;
  for (const library of ['libc.so.6', 'libc.so']) {
    try {
      const { symbols } = ffi.dlopen(library, { waitpid: { args: ['i32', 'ptr', 'i32'], returns: 'i32' } });
      return (pid) => void symbols.waitpid(pid, null, wnohang);
    } catch {
      // The next name is that of musl.
    }
  }
  return () => {};
}
