import { retryLater } from '../answer/status-error.ts';
import { WaitingLine } from './waiting-line.ts';

export interface SlotLimits {
  runningPerCaller: number;
  waitingPerCaller: number;
}

/** An expensive request reads and holds several objects of up to 1 MiB. */
const defaults: SlotLimits = { runningPerCaller: 4, waitingPerCaller: 100 };

interface Caller {
  running: number;
  line: WaitingLine;
}

/**
 * Limits the expensive requests of each caller, with their calls of the API server. There is no limit in all: slow calls
 * of one caller would make the others wait.
 */
export class CallerSlots {
  readonly #limits: SlotLimits;
  readonly #callers = new Map<string, Caller>();

  constructor(limits: SlotLimits = defaults) {
    this.#limits = limits;
  }

  /** Number of requests that wait for a slot. */
  get waiting(): number {
    return [...this.#callers.values()].reduce((sum, { line }) => sum + line.length, 0);
  }

  /**
   * Resolves with the function that releases the slot. Rejects with a StatusError 429 when too many requests of the
   * caller wait, and with the reason of the signal when it aborts before there is a slot.
   */
  async take(caller: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const { runningPerCaller, waitingPerCaller } = this.#limits;
    const own = this.#callers.get(caller) ?? { running: 0, line: new WaitingLine() };
    this.#callers.set(caller, own);
    if (own.running < runningPerCaller) own.running += 1;
    else if (own.line.length < waitingPerCaller) await own.line.join(signal);
    else
      throw retryLater(
        429,
        `${runningPerCaller} expensive requests of this user are in progress, and ${waitingPerCaller} wait; send fewer at a time, and retry after 1 s`,
        1,
      );
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      // The first one that waits takes the slot over.
      if (own.line.startFirst()) return;
      own.running -= 1;
      if (own.running === 0) this.#callers.delete(caller);
    };
  }
}
