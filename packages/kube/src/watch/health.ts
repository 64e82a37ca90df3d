import type { Clock } from '../clock.ts';

/** State of one watch for health checks. A watch with an open connection but no recent activity is not healthy. */
export interface WatchHealth {
  /** Whether the cache has been complete at least once. */
  synced: boolean;
  /** Seconds since the last event or bookmark of the stream, or the last page of a list. */
  secondsSinceActivity: number;
  /** Seconds since the first of the current consecutive failures. */
  failingForSeconds?: number;
  /** HTTP status or network code of the last failure, while attempts fail. */
  lastErrorCode?: string;
}

/** Records activity and failures of one watch. */
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
