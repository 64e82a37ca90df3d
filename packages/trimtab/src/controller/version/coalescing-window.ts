import type { Clock } from '@trimtab/kube/clock.ts';

/**
 * Delays versions after an edit, so edits in quick succession become one version. The window starts with the first
 * edit. Windows are keyed by rollout and kept in memory only: after a restart they are over.
 */
export class CoalescingWindow {
  readonly #until = new Map<string, number>();
  readonly #clock: Clock;
  readonly windowMs: number;

  constructor(clock: Clock, windowMs: number) {
    this.#clock = clock;
    this.windowMs = windowMs;
  }

  /**
   * Starts the window at the first edit. Later edits do not extend it, so a config that changes often is released
   * too.
   */
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
