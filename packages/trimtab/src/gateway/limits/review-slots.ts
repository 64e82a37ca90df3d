import { retryLater } from '../answer/status-error.ts';
import { WaitingLine } from './waiting-line.ts';

export interface ReviewSlotLimits {
  running: number;
  runningPerAddress: number;
  waitingPerAddress: number;
}

/** After a restart, all pods may connect at once, several of them from one address. */
const defaults: ReviewSlotLimits = { running: 32, runningPerAddress: 8, waitingPerAddress: 1_000 };

interface Address {
  running: number;
  line: WaitingLine;
}

/**
 * Limits TokenReviews. Nothing is known about their tokens yet, and anybody can send some, so each client address has a
 * share of the slots, and addresses take turns.
 */
export class ReviewSlots {
  readonly #limits: ReviewSlotLimits;
  readonly #addresses = new Map<string, Address>();
  /** Addresses with reviews that wait. A Set iterates in insertion order; the first one is next. */
  readonly #queue = new Set<string>();
  #running = 0;

  constructor(limits: ReviewSlotLimits = defaults) {
    this.#limits = limits;
  }

  /** Number of reviews that wait for a slot. */
  get waiting(): number {
    return [...this.#queue].reduce((sum, each) => sum + (this.#addresses.get(each)?.line.length ?? 0), 0);
  }

  /**
   * Runs a review in a slot. Rejects with a StatusError 429 when too many reviews of the address wait, and with the reason
   * of the signal when it aborts before there is a slot.
   */
  async run<T>(address: string, signal: AbortSignal, review: () => Promise<T>): Promise<T> {
    await this.#enter(address, signal);
    try {
      return await review();
    } finally {
      this.#leave(address);
    }
  }

  #enter(address: string, signal: AbortSignal): Promise<void> {
    const own = this.#addresses.get(address) ?? { running: 0, line: new WaitingLine() };
    const { waitingPerAddress } = this.#limits;
    if (own.line.length >= waitingPerAddress)
      throw retryLater(
        429,
        `${waitingPerAddress} pod tokens of this address wait for their review already; retry after 1 s`,
        1,
      );
    this.#addresses.set(address, own);
    const started = own.line.join(signal);
    this.#queue.add(address);
    this.#startNext();
    return started;
  }

  #leave(address: string): void {
    const own = this.#addresses.get(address);
    if (own === undefined) return;
    this.#running -= 1;
    own.running -= 1;
    if (own.running === 0 && own.line.length === 0) this.#addresses.delete(address);
    this.#startNext();
  }

  #startNext(): void {
    const { running, runningPerAddress } = this.#limits;
    if (this.#running >= running) return;
    for (const address of this.#queue) {
      const own = this.#addresses.get(address);
      if (own !== undefined && own.running >= runningPerAddress) continue;
      this.#queue.delete(address);
      if (own === undefined) continue;
      if (!own.line.startFirst()) {
        // All clients whose reviews waited have left.
        if (own.running === 0) this.#addresses.delete(address);
        continue;
      }
      // The address goes to the end of the queue.
      if (own.line.length > 0) this.#queue.add(address);
      own.running += 1;
      this.#running += 1;
      return;
    }
  }
}
