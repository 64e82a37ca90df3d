/**
 * Collects chunks in one block of memory. A chunk of one byte would keep much more: an object of about 100 bytes, and
 * possibly the whole buffer that it is a part of.
 */
export class GrowingBuffer {
  readonly #expected: number;
  readonly #charge: (bytes: number) => void;
  #block = Buffer.alloc(0);
  #length = 0;

  /**
   * `expected` is the largest number of bytes that the sender announced or may send. `charge` is called with the number
   * of bytes before they are reserved, and may throw.
   */
  constructor(expected: number, charge: (bytes: number) => void) {
    this.#expected = expected;
    this.#charge = charge;
  }

  append(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    if (length > this.#block.length) this.#grow(length);
    chunk.copy(this.#block, this.#length);
    this.#length = length;
  }

  /** Part of the block, so the buffer must not be used any more. */
  content(): Buffer {
    return this.#block.subarray(0, this.#length);
  }

  clear(): void {
    this.#block = Buffer.alloc(0);
    this.#length = 0;
  }

  /** Doubles the block, so that many small chunks are not copied again and again. */
  #grow(needed: number): void {
    const size = Math.max(needed, Math.min(this.#expected, 2 * this.#block.length));
    this.#charge(size - this.#block.length);
    const block = Buffer.allocUnsafeSlow(size);
    this.#block.copy(block, 0, 0, this.#length);
    this.#block = block;
  }
}
