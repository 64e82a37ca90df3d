const newline = 0x0a;

/**
 * Splits a byte stream into lines. It works on bytes, because a chunk may end in the middle of a UTF-8 character. A
 * newline byte is never part of a multi-byte character.
 */
export class LineSplitter {
  readonly #maxLineBytes: number;
  /** Chunks of the unfinished line; joined once, when the line is complete. */
  #pieces: Buffer[] = [];
  #size = 0;

  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes;
  }

  /** Returns the lines that `chunk` completes, without empty lines. Throws a RangeError when a line is too long. */
  push(chunk: Buffer): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      this.#keep(chunk.subarray(start, end));
      const line = this.#take();
      if (line !== '') lines.push(line);
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
    return lines;
  }

  /** Whether the last line is incomplete. */
  get unfinished(): boolean {
    return this.#size > 0;
  }

  #keep(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#size += piece.length;
    if (this.#size > this.#maxLineBytes)
      throw new RangeError(`a line is longer than ${this.#maxLineBytes} bytes`);
    this.#pieces.push(piece);
  }

  #take(): string {
    const [first, second] = this.#pieces;
    const whole = first !== undefined && second === undefined ? first : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#size = 0;
    return whole.toString('utf8').trimEnd();
  }
}
