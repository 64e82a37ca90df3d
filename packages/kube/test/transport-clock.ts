import type { Clock } from '../src/clock.ts';

/** Back-offs take no time and are noted; limits, which are longer than any back-off, never run out. */
export class ImpatientClock implements Clock {
  readonly waits: number[] = [];

  now(): number {
    return Date.now();
  }

  monotonic(): number {
    return 0;
  }

  after(ms: number, callback: () => void): () => void {
    if (ms >= 10_000) return () => {};
    this.waits.push(ms);
    const immediate = setImmediate(callback);
    return () => clearImmediate(immediate);
  }
}
