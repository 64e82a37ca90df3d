import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { identify, isAlive, type ProcessIdentity } from '../process/identity.ts';

/**
 * Runs `work` while holding a lock that is exclusive on this machine. A lock of a killed process is taken over. While a
 * running process holds the lock, this waits and calls `onWait` with its process ID.
 */
export async function withLock<T>(
  file: string,
  work: () => Promise<T>,
  onWait: (pid: number) => void = () => {},
): Promise<T> {
  mkdirSync(dirname(file), { recursive: true });
  for (let told = false; !tryLock(file); await delay(100)) {
    const holder = readHolder(file);
    if (holder === undefined) continue;
    if (!isAlive(holder)) takeAway(file, holder);
    else if (!told) {
      onWait(holder.pid);
      told = true;
    }
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

/** A hard link appears together with its content, so no process reads a partially written lock. */
function tryLock(file: string): boolean {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(identify(process.pid)));
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(draft, { force: true });
  }
}

function readHolder(file: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ProcessIdentity;
  } catch {
    return undefined; // the lock was just released
  }
}

/** Two processes may find the same dead holder. The rename succeeds for one of them, which checks what it took. */
function takeAway(file: string, dead: ProcessIdentity): void {
  const taken = `${file}.stale.${process.pid}`;
  try {
    renameSync(file, taken);
  } catch {
    return; // another process has taken it
  }
  const holder = readHolder(taken);
  if (holder !== undefined && (holder.pid !== dead.pid || holder.since !== dead.since)) {
    try {
      linkSync(taken, file);
    } catch {
      // a third process holds the lock now
    }
  }
  rmSync(taken, { force: true });
}
