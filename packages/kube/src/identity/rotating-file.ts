import { readFile } from 'node:fs/promises';
import type { Clock } from '../clock.ts';

/**
 * A credential file that another process replaces. When the file cannot be read during a replacement, `read` returns
 * the last good content.
 */
export class RotatingFile {
  readonly path: string;
  readonly #maxAgeMs: number;
  readonly #clock: Clock;
  #content: Buffer | undefined;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(path: string, maxAgeMs: number, clock: Clock) {
    this.path = path;
    this.#maxAgeMs = maxAgeMs;
    this.#clock = clock;
  }

  async read(): Promise<Buffer> {
    const now = this.#clock.monotonic();
    if (this.#content !== undefined && now - this.#readAt < this.#maxAgeMs) return this.#content;
    try {
      const content = await readFile(this.path);
      // A file that is rewritten in place is briefly empty.
      if (content.length > 0 || this.#content === undefined) this.#content = content;
      this.#readAt = now;
    } catch (error) {
      if (this.#content === undefined) throw error;
    }
    return this.#content;
  }

  /** Makes the next `read` read the file. */
  expire(): void {
    this.#readAt = Number.NEGATIVE_INFINITY;
  }
}
