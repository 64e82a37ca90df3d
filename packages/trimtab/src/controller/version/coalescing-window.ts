import type { Clock } from '@trimtab/kube/clock.ts';

/**
 * Edits in quick succession become one version: from the first one on, a config is left alone for a while. By
 * the key of its rollout; in memory only, since after a restart the while is over.
 */
export class CoalescingWindow {
  readonly #until = new Map<string, number>();
  readonly #clock: Clock;
  readonly windowMs: number;

  constructor(clock: Clock, windowMs: number) {
    this.#clock = clock;
    this.windowMs = windowMs;
  }

  /** An edit was seen. The window does not grow with each: a config that changes all the time is released, too. */
  edited(rollout: string): void {
    if (this.windowMs > 0 && this.leftMs(rollout) === 0) {
      this.#until.set(rollout, this.#clock.monotonic() + this.windowMs);
    }
  }

  leftMs(rollout: string): number {
    const until = this.#until.get(rollout);
    const left = until === undefined ? 0 : until - this.#clock.monotonic();
    if (left > 0) return left;
    this.#until.delete(rollout);
    return 0;
  }
}
