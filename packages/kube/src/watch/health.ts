import type { Clock } from '../clock.ts';

/** What a health check may want to know of one watch. A watch is only as good as its last sign of life. */
export interface WatchHealth {
  /** The cache has been filled completely at least once. */
  synced: boolean;
  /** Since the server last said anything on the stream, bookmarks included, or answered a page of a list. */
  secondsSinceActivity: number;
  /** Set while attempts fail: for how long, and the code of the last failure (HTTP status or network code). */
  failingForSeconds?: number;
  lastErrorCode?: string;
}

/** The liveness stamp of one watch. */
export class LivenessStamp {
  readonly #clock: Clock;
  #activityAt: number;
  #synced = false;
  #failingSince: number | undefined;
  #lastErrorCode: string | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#activityAt = clock.monotonic();
  }

  get activityAt(): number {
    return this.#activityAt;
  }

  get synced(): boolean {
    return this.#synced;
  }

  active(): void {
    this.#activityAt = this.#clock.monotonic();
  }

  markSynced(): void {
    this.#synced = true;
  }

  failed(code: string): void {
    this.#failingSince ??= this.#clock.monotonic();
    this.#lastErrorCode = code;
  }

  recovered(): void {
    this.#failingSince = undefined;
    this.#lastErrorCode = undefined;
  }

  read(): WatchHealth {
    const now = this.#clock.monotonic();
    return {
      synced: this.#synced,
      secondsSinceActivity: (now - this.#activityAt) / 1000,
      ...(this.#failingSince !== undefined && { failingForSeconds: (now - this.#failingSince) / 1000 }),
      ...(this.#lastErrorCode !== undefined && { lastErrorCode: this.#lastErrorCode }),
    };
  }
}
