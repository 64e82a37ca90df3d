import type { Clock } from '@trimtab/kube/clock.ts';

const shortestMs = 2_000;
const longestMs = 3_600_000;
/** A client that takes a field back within this time after it may lose it again does so because it lost it. */
const soonMs = 60_000;

/** When a manager lost fields, and how long it keeps them when it takes them back. */
interface Loss {
  at: number;
  keepsMs: number;
}

/**
 * Clients that write their whole manifest in an update, such as operators, take the fields back as soon as they see that these
 * were given away. Without a limit, both would write for ever. Therefore such a manager keeps them twice as long each time.
 * Kept in memory: after a restart, a dispute begins anew.
 */
export class OwnerDisputes {
  readonly #clock: Clock;
  /** By workload and manager. */
  readonly #losses = new Map<string, Map<string, Loss>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the time until a field that all of these managers own may be given away. */
  leftMs(workload: string, managers: readonly string[]): number {
    const losses = this.#losses.get(workload);
    if (losses === undefined) return 0;
    const left = managers.map((manager) => {
      const loss = losses.get(manager);
      return loss === undefined ? 0 : loss.at + loss.keepsMs - this.#clock.monotonic();
    });
    return Math.max(0, Math.min(...left));
  }

  /** These managers have lost fields now. */
  lost(workload: string, managers: Iterable<string>): void {
    const at = this.#clock.monotonic();
    const losses = this.#losses.get(workload) ?? new Map<string, Loss>();
    this.#losses.set(workload, losses);
    for (const manager of managers) {
      const before = losses.get(manager);
      const isSoon = before !== undefined && at <= before.at + 2 * before.keepsMs + soonMs;
      losses.set(manager, { at, keepsMs: isSoon ? Math.min(2 * before.keepsMs, longestMs) : shortestMs });
    }
  }

  /** The workload is gone. */
  forget(workload: string): void {
    this.#losses.delete(workload);
  }
}
