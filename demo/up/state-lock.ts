import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OperationalError } from '@trimtab/kube/errors.ts';
import { storeUnusable } from '@trimtab/local-cluster/errors.ts';

interface Holder {
  pid: number;
  since: string;
}

export interface StateLock {
  refuse(cause?: unknown): never;
  /** Deletes the files of the cluster and no other file in the folder. */
  clear(): void;
  release(): void;
}

/** The files and folders of a local cluster. */
const kept = ['store.db', 'store.db-wal', 'store.db-shm', 'pki', 'kubelet', 'admin.token'];

/**
 * Records which process uses the state folder, for the error message of a second process. The record is not a lock: the
 * lock on the database keeps two processes apart, and the system releases it when the process ends.
 */
export function lockState(stateDir: string, now: number): StateLock {
  const file = join(stateDir, 'holder.json');
  const before = readHolder(file);
  const isHeld = before !== undefined && before.pid !== process.pid && isAlive(before.pid);
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  if (!isHeld) note(file, now);
  function refuse(cause?: unknown): never {
    const who = isHeld ? `process ${before.pid}, running since ${before.since}` : 'another process';
    const stop = isHeld ? `Stop it (press q in its terminal, or run kill ${before.pid})` : 'Stop it';
    throw new OperationalError(
      storeUnusable,
      `${stateDir} is in use by ${who}. ${stop}, or start another cluster with --state-dir FOLDER --port 0.`,
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
