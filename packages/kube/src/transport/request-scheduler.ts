import type { Clock } from '../clock.ts';

/** Concurrent low-priority requests while normal requests run: one more for each `lateMs` that the oldest has waited. */
const minLowPriority = 1;
const maxLowPriorityWhenLate = 8;
const lateMs = 1_000;
/** Upper limit. A low-priority request keeps its slot during retries and must not take the slots of normal requests. */
const maxLowPriority = 16;
/** Normal requests count as running for this time after the last one, because the same work often sends another. */
const quietAfterMs = 20;

interface Waiting {
  since: number;
  start(): void;
}

/**
 * Limits the number of concurrent requests. Requests start in order of arrival, normal requests before low-priority
 * ones. While a slot is free, at least one low-priority request may run beside normal requests. The `maxSockets`
 * option of http.Agent is not sufficient: it does not count connections that are still being established, and
 * establishing one takes time, because the TLS settings are read first.
 */
export class RequestScheduler {
  readonly #maxConcurrent: number;
  readonly #clock: Clock;
  readonly #normal = { running: 0, waiting: [] as Waiting[] };
  readonly #lowPriority = { running: 0, waiting: [] as Waiting[] };
  #lastNormalAt = Number.NEGATIVE_INFINITY;
  #isTimerSet = false;

  constructor(atOnce: number, clock: Clock) {
    this.#maxConcurrent = atOnce;
    this.#clock = clock;
  }

  /** Resolves with a function that frees the slot. A caller that no longer needs the slot must still free it. */
  async take(lowPriority = false): Promise<() => void> {
    const lane = lowPriority ? this.#lowPriority : this.#normal;
    // Normal requests of the same event loop turn start first.
    if (lowPriority) await new Promise<void>((resolve) => this.#clock.after(0, resolve));
    await new Promise<void>((start) => {
      lane.waiting.push({ since: this.#clock.monotonic(), start });
      this.#admit();
    });
    return () => {
      lane.running--;
      if (!lowPriority) this.#lastNormalAt = this.#clock.monotonic();
      this.#admit();
    };
  }

  #admit(): void {
    this.#startWhile(this.#normal, () => true);
    this.#startWhile(this.#lowPriority, (first) => this.#lowPriority.running < this.#lowPriorityLimit(first));
  }

  #startWhile(lane: { running: number; waiting: Waiting[] }, may: (first: Waiting) => boolean): void {
    for (;;) {
      const [first] = lane.waiting;
      const isFree = this.#normal.running + this.#lowPriority.running < this.#maxConcurrent;
      if (first === undefined || !isFree || !may(first)) return;
      lane.waiting.shift();
      lane.running++;
      first.start();
    }
  }

  #lowPriorityLimit({ since }: Waiting): number {
    const now = this.#clock.monotonic();
    const busy = Math.min(minLowPriority + Math.floor((now - since) / lateMs), maxLowPriorityWhenLate);
    if (this.#normal.running > 0) return busy;
    const calmInMs = this.#lastNormalAt + quietAfterMs - now;
    if (calmInMs <= 0) return maxLowPriority;
    this.#admitIn(calmInMs);
    return busy;
  }

  #admitIn(ms: number): void {
    if (this.#isTimerSet) return;
    this.#isTimerSet = true;
    this.#clock.after(ms, () => {
      this.#isTimerSet = false;
      this.#admit();
    });
  }
}
