import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';
import { promisify } from 'node:util';

const syncLater = promisify(fdatasync);

/** Syncs committed changes to the disk through SQLite's write-ahead log. */
export interface Disk {
  /** Resolves when everything committed before the call is on the disk. Does not block the event loop. */
  sync(): Promise<void>;
  /** Synchronous variant of `sync`, for closing the store. */
  syncNow(): void;
  close(): void;
}

export function diskOf(file: string): Disk {
  return file === ':memory:' ? noDisk : new LogOnDisk(`${file}-wal`);
}

const noDisk: Disk = { async sync() {}, syncNow() {}, close() {} };

class LogOnDisk implements Disk {
  readonly #path: string;
  #descriptor: number | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  async sync(): Promise<void> {
    await syncLater(this.#open());
  }

  syncNow(): void {
    fdatasyncSync(this.#open());
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  /** The log file exists from the first commit, and stays the same file until the database is closed. */
  #open(): number {
    this.#descriptor ??= openSync(this.#path, 'r');
    return this.#descriptor;
  }
}
