import { readFile } from 'node:fs/promises';
import type { Clock } from '../clock.ts';

/**
 * A credential that somebody else replaces on disk. When it cannot be read for a moment (half-way through a
 * replacement), the last good content stands.
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
      // A file that is being rewritten in place is empty for a moment.
      if (content.length > 0 || this.#content === undefined) this.#content = content;
      this.#readAt = now;
    } catch (error) {
      if (this.#content === undefined) throw error;
    }
    return this.#content;
  }

  /** The next `read` looks at the disk. */
  expire(): void {
    this.#readAt = Number.NEGATIVE_INFINITY;
  }
}
