import type { Clock } from '../src/clock.ts';

/** Backoff delays are recorded and end immediately. Timeouts, which are longer than any backoff, never expire. */
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
