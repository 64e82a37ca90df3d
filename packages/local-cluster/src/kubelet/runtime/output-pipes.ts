import { execFile } from 'node:child_process';
import { closeSync, constants, mkdirSync, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

export interface OutputPipe {
  /** Ends when the last process that holds the writing side has exited. */
  reader: Readable;
  /** File descriptor for the program; close it here once the program has inherited it. */
  writer: number;
}

/** Pipes are created in batches because each creation runs `mkfifo`. */
const batch = 64;

/**
 * Named pipes for the output of containers. Node gives a child process sockets, which a program cannot reopen, so
 * `> /dev/stdout` would fail. A pipe that no process holds any more is reused.
 */
export class OutputPipes {
  readonly #folder: string;
  readonly #free: string[] = [];
  #filling: Promise<void> | undefined;
  #made = 0;
  #isHelpless = false;

  /** Removes the content of the folder, which belongs to an earlier run. */
  constructor(folder: string) {
    this.#folder = folder;
    rmSync(folder, { recursive: true, force: true });
  }

  /** Undefined when named pipes cannot be created. */
  async take(): Promise<OutputPipe | undefined> {
    while (this.#free.length === 0 && !this.#isHelpless) {
      this.#filling ??= this.#fill().finally(() => {
        this.#filling = undefined;
      });
      await this.#filling;
    }
    const path = this.#free.pop();
    return path === undefined ? undefined : this.#open(path);
  }

  close(): void {
    this.#isHelpless = true;
    this.#free.length = 0;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #open(path: string): OutputPipe | undefined {
    try {
      // The reading side is opened first and non-blocking, because opening would otherwise wait for a writer.
      const end = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      const reader = new Socket({ fd: end, readable: true, writable: false });
      reader.once('close', () => {
        // A pipe that was closed before its end may still have a writer, so it is not reused.
        if (!reader.readableEnded) rmSync(path, { force: true });
        else if (!this.#isHelpless) this.#free.push(path);
      });
      return { reader, writer: openSync(path, constants.O_WRONLY) };
    } catch {
      return undefined;
    }
  }

  #fill(): Promise<void> {
    const paths = Array.from({ length: batch }, () => join(this.#folder, String(this.#made++)));
    return new Promise((resolve) => {
      const finish = (error: unknown) => {
        if (error) this.#isHelpless = true;
        else this.#free.push(...paths);
        resolve();
      };
      try {
        mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
        execFile('mkfifo', ['-m', '600', ...paths], finish);
      } catch (error) {
        finish(error);
      }
    });
  }
}

/** Closes the kubelet's copy of the writing side after spawn has succeeded or failed. */
export function closeWriter({ writer }: OutputPipe): void {
  closeSync(writer);
}
