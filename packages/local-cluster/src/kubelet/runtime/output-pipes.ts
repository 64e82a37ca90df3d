import { execFile } from 'node:child_process';
import { closeSync, constants, mkdirSync, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

export interface OutputPipe {
  /** Ends when the last process that holds the other side has gone. */
  reader: Readable;
  /** For the program; to be closed here when it has it. */
  writer: number;
}

/** Made so many at a time: it takes a program to make one. */
const batch = 64;

/**
 * Named pipes for the output of containers. What Node itself gives a child are sockets, and a program cannot open those
 * again: `> /dev/stdout` would fail. A pipe that everybody has left is used again.
 */
export class OutputPipes {
  readonly #folder: string;
  readonly #free: string[] = [];
  #filling: Promise<void> | undefined;
  #made = 0;
  #isHelpless = false;

  /** Whatever is in the folder is an earlier run's. */
  constructor(folder: string) {
    this.#folder = folder;
    rmSync(folder, { recursive: true, force: true });
  }

  /** Undefined where they cannot be made. */
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
      // The reading side first, and without waiting for somebody to write.
      const end = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      const reader = new Socket({ fd: end, readable: true, writable: false });
      reader.once('close', () => {
        // One that was cut off may still be written to.
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

/** The program has it by now, or will never have it. */
export function closeWriter({ writer }: OutputPipe): void {
  closeSync(writer);
}
