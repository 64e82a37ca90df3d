import { type FileHandle, open, rename } from 'node:fs/promises';
import type { Clock } from '@trimtab/kube/clock.ts';
import { LineCutter, type LogStream, logPrefix } from './log-line.ts';

interface LogWriterOptions {
  file: string;
  clock: Clock;
  /** Size at which the file is rotated; one rotated file is kept. */
  maxBytes: number;
  /** Called at the first of consecutive write failures, from which on the log has a gap. */
  onTrouble(error: NodeJS.ErrnoException): void;
}

/** The path of the rotated file. */
export function olderFile(file: string): string {
  return `${file}.1`;
}

/**
 * Writes the output of one container. It never fails: output that cannot be written (for example to a full disk) is
 * dropped and reported, so that the program continues. Followers are notified of each write.
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

  /** Creates the file, so that a container without output has one. */
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

  /** Calls `follower` after each write and on close. Returns a function that unsubscribes it. */
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
      // A gap may leave a partial line, so a newline separates it from the next line.
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
    // A full disk accepts only a part. The rest is dropped, because it would read as a separate line.
    if (bytesWritten < bytes.length) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
  }

  #tell(): void {
    for (const follower of this.#followers) follower();
  }
}
