import { retryLater } from '../answer/status-error.ts';
import { WaitingLine } from './waiting-line.ts';

const maxWaitingPerCaller = 100;

/**
 * Turns to use the CPU for long: comparisons, plans, large bodies, YAML. A turn is what one request computes in one round of
 * the event loop, so nothing holds a turn while it waits. Callers take turns round robin: many requests of one caller
 * delay a request of another caller by one turn only.
 */
export class Turns {
  readonly #maxWaiting: number;
  /** Callers with requests that wait. A Map iterates in insertion order; the first one is next. */
  readonly #lines = new Map<string, WaitingLine>();
  #isScheduled = false;

  constructor(maxWaiting = maxWaitingPerCaller) {
    this.#maxWaiting = maxWaiting;
  }

  /** Number of requests that wait for a turn. */
  get waiting(): number {
    return [...this.#lines.values()].reduce((sum, { length }) => sum + length, 0);
  }

  /**
   * Resolves when the turn begins: compute then, before you wait for anything. Throws a StatusError 429 when too many
   * requests of the caller wait, and the reason of the signal when it aborts before the turn begins. Without a signal, the
   * turn is part of work that has begun: it waits in the same line and is never refused.
   */
  take(caller: string, signal?: AbortSignal): Promise<void> {
    const line = this.#lines.get(caller) ?? new WaitingLine();
    if (signal !== undefined && line.length >= this.#maxWaiting)
      throw retryLater(
        429,
        `${line.length} requests of this user wait for the CPU of the gateway already; send fewer at a time, and retry after 1 s`,
        1,
      );
    this.#lines.set(caller, line);
    this.#schedule();
    return line.join(signal);
  }

  /** One turn begins in each round of the event loop, so that other requests are served in between. */
  #schedule(): void {
    if (this.#isScheduled || this.#lines.size === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#startNext();
      this.#schedule();
    });
  }

  #startNext(): void {
    for (const [caller, line] of this.#lines) {
      this.#lines.delete(caller);
      // Those whose clients have left are not in their lines any more.
      if (line.length > 1) this.#lines.set(caller, line);
      if (line.startFirst()) return;
    }
  }
}
