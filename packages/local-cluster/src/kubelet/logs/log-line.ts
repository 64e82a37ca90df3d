export type LogStream = 'stdout' | 'stderr';

export interface LogLine {
  time: string;
  stream: LogStream;
  /** False for a part of a long line that is continued in the next entry. */
  isWhole: boolean;
  text: Buffer;
}

const space = 32;

/** The prefix of a line in a log file, in the CRI format: time, stream, tag. */
export function logPrefix(now: number, stream: LogStream): Record<'whole' | 'part', string> {
  const time = new Date(now).toISOString().replace('Z', '000000Z');
  return { whole: `${time} ${stream} F `, part: `${time} ${stream} P ` };
}

/** Parses a line without its newline; undefined when it is not in the CRI format. */
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

/**
 * Splits output into lines. A line longer than `maxBytes` is split into parts, and an incomplete line is kept until its
 * end arrives. Bytes are held in latin1 strings, which is several times faster than slicing buffers.
 */
export class LineCutter {
  readonly #maxBytes: number;
  #rest = '';

  constructor(maxBytes = 16 * 1024) {
    this.#maxBytes = maxBytes;
  }

  cut(chunk: Buffer, { whole, part }: ReturnType<typeof logPrefix>): Buffer {
    const text = this.#rest + chunk.toString('latin1');
    let lines = '';
    let start = 0;
    for (;;) {
      const end = text.indexOf('\n', start);
      const next = end < 0 ? text.length : end;
      if (next - start > this.#maxBytes) {
        lines += `${part}${text.slice(start, start + this.#maxBytes)}\n`;
        start += this.#maxBytes;
      } else if (end < 0) break;
      else {
        lines += whole + text.slice(start, end + 1);
        start = end + 1;
      }
    }
    this.#rest = text.slice(start);
    return Buffer.from(lines, 'latin1');
  }

  /** Returns the last output of the program if it did not end with a newline. */
  end({ part }: ReturnType<typeof logPrefix>): Buffer {
    const lines = this.#rest === '' ? '' : `${part}${this.#rest}\n`;
    this.#rest = '';
    return Buffer.from(lines, 'latin1');
  }
}
