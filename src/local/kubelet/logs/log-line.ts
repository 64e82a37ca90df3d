export type LogStream = 'stdout' | 'stderr';

export interface LogLine {
  time: string;
  stream: LogStream;
  /** The end of a line; a long one comes in several parts. */
  isWhole: boolean;
  text: Buffer;
}

const newline = 10;
const space = 32;

/** One line of a log file, as container runtimes write it: time, stream, tag, text. */
export function logLine(now: number, stream: LogStream, isWhole: boolean, text: Uint8Array): Buffer {
  const time = new Date(now).toISOString().replace('Z', '000000Z');
  return Buffer.concat([Buffer.from(`${time} ${stream} ${isWhole ? 'F' : 'P'} `), text, Buffer.of(newline)]);
}

/** Reads a line without its newline; undefined when it is none of ours. */
export function parseLogLine(line: Buffer): LogLine | undefined {
  const first = line.indexOf(space);
  const second = line.indexOf(space, first + 1);
  const third = line.indexOf(space, second + 1);
  if (first < 0 || second < 0 || third < 0) return undefined;
  const stream = line.toString('latin1', first + 1, second);
  if (stream !== 'stdout' && stream !== 'stderr') return undefined;
  const isWhole = line.toString('latin1', second + 1, third) === 'F';
  return { time: line.toString('latin1', 0, first), stream, isWhole, text: line.subarray(third + 1) };
}

/** Cuts output into lines; what is longer than `maxBytes` comes in parts, and the rest waits for its end. */
export class LineCutter {
  readonly #maxBytes: number;
  #rest: Buffer = Buffer.alloc(0);

  constructor(maxBytes = 16 * 1024) {
    this.#maxBytes = maxBytes;
  }

  *cut(chunk: Buffer): Generator<{ text: Buffer; isWhole: boolean }> {
    let rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const end = rest.subarray(0, this.#maxBytes + 1).indexOf(newline);
      if (end >= 0) {
        yield { text: rest.subarray(0, end), isWhole: true };
        rest = rest.subarray(end + 1);
      } else if (rest.length > this.#maxBytes) {
        yield { text: rest.subarray(0, this.#maxBytes), isWhole: false };
        rest = rest.subarray(this.#maxBytes);
      } else break;
    }
    // A copy: a few bytes must not keep a large chunk alive.
    this.#rest = Buffer.from(rest);
  }

  /** What the program wrote last without ending the line. */
  *end(): Generator<{ text: Buffer; isWhole: boolean }> {
    if (this.#rest.length > 0) yield { text: this.#rest, isWhole: false };
    this.#rest = Buffer.alloc(0);
  }
}
