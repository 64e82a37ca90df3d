import type { Clock } from '../clock.ts';

/** Keys that are due later. A key has at most one timer, for the earliest requested time. */
export class DelayedKeys {
  readonly #clock: Clock;
  readonly #onDue: (key: string) => void;
  readonly #pending = new Map<string, { due: number; cancel: () => void }>();

  constructor(clock: Clock, onDue: (key: string) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  get size(): number {
    return this.#pending.size;
  }

  schedule(key: string, ms: number): void {
    const due = this.#clock.monotonic() + ms;
    const earlier = this.#pending.get(key);
    if (earlier && earlier.due <= due) return;
    earlier?.cancel();
    const cancel = this.#clock.after(ms, () => {
      this.#pending.delete(key);
      this.#onDue(key);
    });
    this.#pending.set(key, { due, cancel });
  }

  cancel(key: string): void {
    this.#pending.get(key)?.cancel();
    this.#pending.delete(key);
  }

  cancelAll(): void {
    for (const { cancel } of this.#pending.values()) cancel();
    this.#pending.clear();
  }
}
