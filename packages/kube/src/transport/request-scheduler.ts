import type { Clock } from '../clock.ts';

/** How many that can wait run at a time: while others run, when they have waited for long, and at most. */
const minLowPriority = 1;
const maxLowPriorityWhenLate = 8;
/** They keep their turn while they are repeated, and must not keep others from theirs. */
const maxLowPriority = 16;
const lateAfterMs = 1_000;
/** For so long after the last request that could not wait, the next step of the same work may follow. */
const calmAfterMs = 20;

interface Waiting {
  since: number;
  start(): void;
}

/**
 * Lets so many through at a time, in the order in which they came; those that can wait after the others, but never
 * none of them. The agent's own `maxSockets` cannot do it: it does not count connections that are still being made,
 * and ours take a while to make.
 */
export class RequestScheduler {
  readonly #atOnce: number;
  readonly #clock: Clock;
  readonly #normal = { running: 0, waiting: [] as Waiting[] };
  readonly #lowPriority = { running: 0, waiting: [] as Waiting[] };
  #lastNormalAt = Number.NEGATIVE_INFINITY;
  #isAlarmSet = false;

  constructor(atOnce: number, clock: Clock) {
    this.#atOnce = atOnce;
    this.#clock = clock;
  }

  /** Resolves with what ends the turn. Who no longer wants it must end it all the same. */
  async take(lowPriority = false): Promise<() => void> {
    const lane = lowPriority ? this.#lowPriority : this.#normal;
    // What is asked for in the same breath and cannot wait goes first.
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
      const isFree = this.#normal.running + this.#lowPriority.running < this.#atOnce;
      if (first === undefined || !isFree || !may(first)) return;
      lane.waiting.shift();
      lane.running++;
      first.start();
    }
  }

  #lowPriorityLimit({ since }: Waiting): number {
    const now = this.#clock.monotonic();
    const busy = now - since >= lateAfterMs ? maxLowPriorityWhenLate : minLowPriority;
    if (this.#normal.running > 0) return busy;
    const calmInMs = this.#lastNormalAt + calmAfterMs - now;
    if (calmInMs <= 0) return maxLowPriority;
    this.#admitIn(calmInMs);
    return busy;
  }

  #admitIn(ms: number): void {
    if (this.#isAlarmSet) return;
    this.#isAlarmSet = true;
    this.#clock.after(ms, () => {
      this.#isAlarmSet = false;
      this.#admit();
    });
  }
}
