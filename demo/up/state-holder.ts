import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OperationalError } from '@trimtab/kube/errors.ts';
import { storeUnusable } from '../../packages/local-cluster/src/errors.ts';

interface Holder {
  pid: number;
  since: string;
}

export interface StateHold {
  refuse(cause?: unknown): never;
  /** Removes the cluster that is kept there, and nothing that is not of one. */
  clear(): void;
  release(): void;
}

/** Everything that a local cluster keeps. */
const kept = ['store.db', 'store.db-wal', 'store.db-shm', 'pki', 'kubelet', 'admin.token'];

/**
 * Says who has the state folder, while somebody has. It is a courtesy: what keeps two apart is the lock on the
 * database, which goes with its process.
 */
export function holdState(stateDir: string, now: number): StateHold {
  const file = join(stateDir, 'holder.json');
  const before = readHolder(file);
  const isHeld = before !== undefined && before.pid !== process.pid && isAlive(before.pid);
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  if (!isHeld) note(file, now);
  function refuse(cause?: unknown): never {
    const who = isHeld ? `process ${before.pid}, up since ${before.since}` : 'another process';
    const stop = isHeld ? `Stop it (q in its terminal, or kill ${before.pid})` : 'Stop it';
    throw new OperationalError(
      storeUnusable,
      `${stateDir} is held by ${who}. ${stop}, or start another one with --state-dir FOLDER --port 0.`,
      { cause },
    );
  }
  return {
    refuse,
    clear() {
      if (isHeld) refuse();
      for (const name of kept) rmSync(join(stateDir, name), { recursive: true, force: true });
    },
    release: () => rmSync(file, { force: true }),
  };
}

function note(file: string, now: number): void {
  const holder: Holder = { pid: process.pid, since: new Date(now).toISOString() };
  writeFileSync(file, JSON.stringify(holder), { mode: 0o600 });
}

function readHolder(file: string): Holder | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Holder;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
