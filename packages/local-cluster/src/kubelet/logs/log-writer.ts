import { type FileHandle, open, rename } from 'node:fs/promises';
import type { Clock } from '@trimtab/kube/clock.ts';
import { LineCutter, type LogStream, logPrefix } from './log-line.ts';

interface LogWriterOptions {
  file: string;
  clock: Clock;
  /** The file is put aside when it gets larger; one such file is kept. */
  maxBytes: number;
  /** Called once for each row of failures: the log has a gap from here on. */
  onTrouble(error: NodeJS.ErrnoException): void;
}

/** The one that was put aside. */
export function olderFile(file: string): string {
  return `${file}.1`;
}

/**
 * Writes the output of one container. It never fails: what cannot be written (a full disk) is dropped and reported, so
 * that the program goes on. Who follows the log is told of each piece.
 */
export class LogWriter {
  readonly #options: LogWriterOptions;
  readonly #cutters = { stdout: new LineCutter(), stderr: new LineCutter() };
  readonly #followers = new Set<() => void>();
  #handle: FileHandle | undefined;
  #size = 0;
  #work: Promise<void> = Promise.resolve();
  #isInTrouble = false;
  #isClosed = false;

  constructor(options: LogWriterOptions) {
    this.#options = options;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Makes the file, so that a silent container has one. */
  open(): Promise<void> {
    return this.#enqueue(Buffer.alloc(0));
  }

  write(stream: LogStream, chunk: Buffer): Promise<void> {
    return this.#enqueue(this.#cutters[stream].cut(chunk, this.#prefix(stream)));
  }

  async close(): Promise<void> {
    for (const stream of ['stdout', 'stderr'] as const)
      await this.#enqueue(this.#cutters[stream].end(this.#prefix(stream)));
    await this.#handle?.close().catch(() => {});
    this.#handle = undefined;
    this.#isClosed = true;
    this.#tell();
  }

  /** Calls back after each write and at the end. Answers how to end that. */
  follow(follower: () => void): () => void {
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }

  #prefix(stream: LogStream) {
    return logPrefix(this.#options.clock.now(), stream);
  }

  /** One write at a time, in order. */
  #enqueue(lines: Buffer): Promise<void> {
    this.#work = this.#work.then(() => this.#append(lines));
    return this.#work;
  }

  async #append(lines: Buffer): Promise<void> {
    if (this.#isClosed) return;
    try {
      // After a gap there may be half a line, which must not swallow the next one.
      await this.#write(this.#isInTrouble ? Buffer.concat([Buffer.from('\n'), lines]) : lines);
      this.#isInTrouble = false;
    } catch (error) {
      if (!this.#isInTrouble) this.#options.onTrouble(error as NodeJS.ErrnoException);
      this.#isInTrouble = true;
    }
    this.#tell();
  }

  async #write(bytes: Buffer): Promise<void> {
    const { file, maxBytes } = this.#options;
    if (this.#handle !== undefined && this.#size > 0 && this.#size + bytes.length > maxBytes) {
      await rename(file, olderFile(file));
      await this.#handle.close();
      this.#handle = undefined;
    }
    if (this.#handle === undefined) {
      this.#handle = await open(file, 'a', 0o640);
      this.#size = (await this.#handle.stat()).size;
    }
    if (bytes.length === 0) return;
    const { bytesWritten } = await this.#handle.write(bytes);
    this.#size += bytesWritten;
    // A full disk takes a part; the rest of a line would look like one of its own.
    if (bytesWritten < bytes.length) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
  }

  #tell(): void {
    for (const follower of this.#followers) follower();
  }
}
