import { backoffMs } from '@trimtab/kube/backoff.ts';
import type { Clock } from '@trimtab/kube/clock.ts';
import type { Rejection } from './files/rejection-file.ts';

const retryBackoff = { initialMs: 1_000, maxMs: 30_000 };

/** How far the agent is: what the application runs with, and what failed. */
export class Progress {
  /** Hash of the set that the application runs with. */
  accepted: string | undefined;
  /** The set that was rejected last. */
  rejected: Rejection | undefined;
  /** A failure that says nothing about the set is tried again. */
  retry: { hash: string; at: number } | undefined;
  /** When the visible set was written, in clock ticks since boot; Infinity when another process wrote it. */
  writtenAtTicks = Number.POSITIVE_INFINITY;
  /** Whether the application has answered this process. */
  wasReached = false;
  isReady = false;
  failure: string | undefined;
  isRestored = true;
  readonly #clock: Clock;
  #failures = 0;
  #unwrittenSince: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  succeeded(): void {
    this.retry = undefined;
    this.failure = undefined;
    this.isRestored = true;
    this.isReady = true;
    this.#failures = 0;
    this.#unwrittenSince = undefined;
  }

  retryLater(hash: string): void {
    this.#failures += 1;
    const ms = backoffMs(this.#failures, retryBackoff, Math.random);
    this.retry = { hash, at: this.#clock.monotonic() + ms };
  }

  /** Returns for how long files could not be written. */
  writeFailed(problem: string): number {
    this.failure = problem;
    this.#unwrittenSince ??= this.#clock.monotonic();
    return this.#clock.monotonic() - this.#unwrittenSince;
  }
}
