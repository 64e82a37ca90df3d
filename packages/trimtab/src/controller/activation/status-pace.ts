import type { ConfigRollout, ConfigRolloutStatus } from '../../api/config-rollout.ts';
import { isProgressOnly } from '../../core/status/progress-only.ts';

/** The shortest time between two writes of a status that differ only in how far the rollout is. */
const paceMs = 1_000;

/** Remembers which statuses were written in the last second. */
export class StatusPace {
  /** The uid of a rollout → monotonic time, in the order of the time. */
  readonly #written = new Map<string, number>();

  /** Returns the time until this status may be written; 0 for at once. */
  waitMs({ metadata, status }: ConfigRollout, after: ConfigRolloutStatus, now: number): number {
    const last = this.#written.get(metadata.uid ?? '');
    if (last === undefined || !isProgressOnly(status, after)) return 0;
    return Math.max(0, last + paceMs - now);
  }

  note({ metadata }: ConfigRollout, now: number): void {
    for (const [uid, at] of this.#written) {
      if (now - at < paceMs) break;
      this.#written.delete(uid);
    }
    this.#written.delete(metadata.uid ?? '');
    this.#written.set(metadata.uid ?? '', now);
  }
}
