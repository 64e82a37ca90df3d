import type { ConfigRollout, ConfigRolloutStatus } from '../../api/config-rollout.ts';
import { isProgressOnly } from '../../core/status/progress-only.ts';

/** The shortest time between two writes of a status that differ only in how far the rollout is. */
const paceMs = 1_000;

/** Remembers when the status of each rollout in progress was last written. */
export class StatusPace {
  readonly #written = new Map<string, number>();

  /** Returns the time until this status may be written; 0 for at once. */
  waitMs({ metadata, status }: ConfigRollout, after: ConfigRolloutStatus, now: number): number {
    const last = this.#written.get(metadata.uid ?? '');
    if (last === undefined || !isProgressOnly(status, after)) return 0;
    return Math.max(0, last + paceMs - now);
  }

  note({ metadata }: ConfigRollout, { target }: ConfigRolloutStatus, now: number): void {
    // Only the status of a rollout in progress waits.
    if (target === undefined) this.#written.delete(metadata.uid ?? '');
    else this.#written.set(metadata.uid ?? '', now);
  }
}
