import type { Clock } from '@trimtab/kube/clock.ts';
import type { Content } from './content.ts';

/** The content that the endpoint serves, and the requests that wait for the next one. */
export class Published {
  readonly #clock: Clock;
  readonly #waiting = new Set<() => void>();
  #current: Content | undefined;
  #isClosed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Undefined until the first set is published. */
  get current(): Content | undefined {
    return this.#current;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Number of requests that wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  publish(content: Content): void {
    this.#current = content;
    this.#notify();
  }

  /** Ends all waits at once. */
  close(): void {
    this.#isClosed = true;
    this.#notify();
  }

  /** Resolves as soon as `isDone` holds, after `ms`, when the signal aborts, or at `close`. */
  wait(isDone: () => boolean, ms: number, signal: AbortSignal): Promise<void> {
    if (this.#isClosed || signal.aborted || isDone()) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        cancel();
        this.#waiting.delete(check);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const check = () => {
        if (this.#isClosed || isDone()) end();
      };
      const cancel = this.#clock.after(ms, end);
      this.#waiting.add(check);
      signal.addEventListener('abort', end, { once: true });
    });
  }

  #notify(): void {
    for (const check of [...this.#waiting]) check();
  }
}
