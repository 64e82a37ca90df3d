import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';
import { promisify } from 'node:util';

const syncLater = promisify(fdatasync);

/** Brings what was committed to the disk, by the log that SQLite writes ahead of its file. */
export interface Disk {
  /** Resolves when everything that was committed before the call is there; others work meanwhile. */
  sync(): Promise<void>;
  /** The same at once, for the end. */
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

  /** There from the first commit on, and the same until the database is closed. */
  #open(): number {
    this.#descriptor ??= openSync(this.#path, 'r');
    return this.#descriptor;
  }
}
