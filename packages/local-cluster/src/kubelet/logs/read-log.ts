import { type FileHandle, open } from 'node:fs/promises';
import { type LogLine, parseLogLine } from './log-line.ts';
import { olderFile } from './log-writer.ts';
import { tailStart } from './tail-start.ts';

export interface LogOptions {
  follow?: boolean;
  tailLines?: number;
  /** Milliseconds since the epoch; older lines are left out. */
  since?: number;
  timestamps?: boolean;
  limitBytes?: number;
  /** Optional; defaults to both streams. */
  stream?: 'stdout' | 'stderr';
}

/** The writer of the file while its container runs. */
export interface LogSource {
  readonly isClosed: boolean;
  follow(follower: () => void): () => void;
}

const chunkBytes = 64 * 1024;

/** Streams the log of one container as `kubectl logs` shows it. Following ends with the container or the signal. */
export async function* readLog(
  file: string,
  options: LogOptions,
  source: LogSource | undefined,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  let left = options.limitBytes ?? Number.POSITIVE_INFINITY;
  let startsLine = true;
  for await (const lines of linesOf(file, options, source, signal)) {
    const pieces: Buffer[] = [];
    for (const line of lines) {
      if (!isWanted(line, options)) continue;
      if (options.timestamps && startsLine) pieces.push(Buffer.from(`${line.time} `));
      pieces.push(line.text);
      if (line.isWhole) pieces.push(Buffer.from('\n'));
      startsLine = line.isWhole;
    }
    const text = Buffer.concat(pieces);
    if (text.length > 0) yield text.subarray(0, left);
    left -= text.length;
    if (left <= 0) return;
  }
}

function isWanted({ time, stream }: LogLine, { since, stream: wanted }: LogOptions): boolean {
  if (wanted !== undefined && stream !== wanted) return false;
  return since === undefined || Date.parse(time) >= since;
}

async function* linesOf(
  file: string,
  { tailLines, follow }: LogOptions,
  source: LogSource | undefined,
  signal: AbortSignal,
): AsyncGenerator<LogLine[]> {
  // The current file is opened first, so that it is still read when it is rotated in between.
  const newest = await open(file, 'r');
  let older: FileHandle | undefined = await open(olderFile(file), 'r').catch(() => undefined);
  let current = newest;
  try {
    if (older !== undefined && (await isSame(older, newest))) {
      await older.close();
      older = undefined;
    }
    const start = await tailStart(older === undefined ? [newest] : [older, newest], tailLines);
    if (older !== undefined && start.file === 0) yield* readFrom(older, start.offset);
    let offset = older === undefined || start.file === 1 ? start.offset : 0;
    for (;;) {
      const turn = waker(source, signal);
      const wasClosed = source?.isClosed ?? true;
      const reading = new Reading(current, offset);
      yield* reading.lines();
      offset = reading.offset;
      const next = follow ? await openIfOther(file, current) : undefined;
      if (next !== undefined) {
        // Reads the lines that were written between the last read and the rotation.
        yield* readFrom(current, offset);
        await current.close();
        [current, offset] = [next, 0];
      } else if (!follow || wasClosed || signal.aborted) return turn.cancel();
      else await turn.wait;
      turn.cancel();
    }
  } finally {
    await older?.close();
    await current.close();
  }
}

/** Resolves on the next write. It is created before reading, so that no write is missed. */
function waker(source: LogSource | undefined, signal: AbortSignal) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = source?.follow(resolve);
  const onAbort = () => resolve();
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) resolve();
  return {
    wait: promise,
    cancel() {
      stop?.();
      signal.removeEventListener('abort', onAbort);
    },
  };
}

async function* readFrom(handle: FileHandle, offset: number): AsyncGenerator<LogLine[]> {
  yield* new Reading(handle, offset).lines();
}

/** Reads complete lines up to the current end of a file. */
class Reading {
  readonly #handle: FileHandle;
  /** Position after the last complete line that was read. */
  offset: number;

  constructor(handle: FileHandle, offset: number) {
    this.#handle = handle;
    this.offset = offset;
  }

  async *lines(): AsyncGenerator<LogLine[]> {
    let rest: Buffer = Buffer.alloc(0);
    const buffer = Buffer.alloc(chunkBytes);
    for (;;) {
      const { bytesRead } = await this.#handle.read(buffer, 0, chunkBytes, this.offset + rest.length);
      if (bytesRead === 0) return;
      const text = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
      const end = text.lastIndexOf(10) + 1;
      rest = text.subarray(end);
      this.offset += end;
      if (end > 0) yield split(text.subarray(0, end));
    }
  }
}

function split(text: Buffer): LogLine[] {
  const lines: LogLine[] = [];
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf(10, start);
    const line = parseLogLine(text.subarray(start, end));
    if (line !== undefined) lines.push(line);
    start = end + 1;
  }
  return lines;
}

async function openIfOther(file: string, current: FileHandle): Promise<FileHandle | undefined> {
  const other = await open(file, 'r').catch(() => undefined);
  if (other === undefined || !(await isSame(other, current))) return other;
  await other.close();
  return undefined;
}

async function isSame(one: FileHandle, other: FileHandle): Promise<boolean> {
  const [a, b] = await Promise.all([one.stat(), other.stat()]);
  return a.ino === b.ino && a.dev === b.dev;
}
