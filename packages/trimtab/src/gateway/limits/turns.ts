import { retryLater } from '../answer/status-error.ts';

export interface TurnLimits {
  /** Turns at the same time, in all and per caller. */
  running: number;
  runningPerCaller: number;
  waitingPerCaller: number;
}

/** Few turns run at once, because each may use the CPU for some 100 ms, and cheap requests run in between. */
const defaults: TurnLimits = { running: 4, runningPerCaller: 2, waitingPerCaller: 100 };

interface Waiting {
  start(): void;
}

interface Caller {
  running: number;
  /** First come, first served. */
  waiting: Set<Waiting>;
}

/**
 * Turns for expensive work: comparisons, lists of versions, large bodies, YAML. Callers take turns round robin, so that many
 * requests of one caller delay a request of another caller by one turn only.
 */
export class Turns {
  readonly #limits: TurnLimits;
  /** Callers with turns or waiting requests. A Map iterates in insertion order; the first one is next. */
  readonly #callers = new Map<string, Caller>();
  #running = 0;
  #waiting = 0;
  #isScheduled = false;

  constructor(limits: TurnLimits = defaults) {
    this.#limits = limits;
  }

  /** Number of requests that wait for a turn. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Resolves with the function that ends the turn. Throws a StatusError 429 when too many requests of the caller wait, and
   * the reason of the signal when it aborts before the turn begins.
   */
  take(caller: string, signal: AbortSignal): Promise<() => void> {
    const own = this.#callers.get(caller) ?? { running: 0, waiting: new Set() };
    if (own.waiting.size >= this.#limits.waitingPerCaller)
      throw retryLater(
        429,
        `${own.waiting.size} expensive requests of this user are waiting already; retry after 1 s`,
        1,
      );
    this.#callers.set(caller, own);
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        start: () => {
          signal.removeEventListener('abort', onAbort);
          resolve(this.#ender(caller, own));
        },
      };
      const onAbort = () => {
        own.waiting.delete(waiting);
        this.#waiting -= 1;
        this.#forgetIdle(caller, own);
        reject(signal.reason);
      };
      own.waiting.add(waiting);
      this.#waiting += 1;
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
      this.#schedule();
    });
  }

  /** At most one turn begins in each round of the event loop, so that other requests are served in between. */
  #schedule(): void {
    if (this.#isScheduled || this.#waiting === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (this.#startNext()) this.#schedule();
    });
  }

  #startNext(): boolean {
    if (this.#running >= this.#limits.running) return false;
    for (const [name, caller] of this.#callers) {
      const [first] = caller.waiting;
      if (first === undefined || caller.running >= this.#limits.runningPerCaller) continue;
      caller.waiting.delete(first);
      this.#waiting -= 1;
      caller.running += 1;
      this.#running += 1;
      this.#callers.delete(name);
      this.#callers.set(name, caller);
      first.start();
      return true;
    }
    return false;
  }

  #ender(name: string, caller: Caller): () => void {
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      caller.running -= 1;
      this.#running -= 1;
      this.#forgetIdle(name, caller);
      this.#schedule();
    };
  }

  #forgetIdle(name: string, caller: Caller): void {
    if (caller.running === 0 && caller.waiting.size === 0) this.#callers.delete(name);
  }
}
