import type { ObjectKey } from '../client.ts';
import type { Clock } from '../clock.ts';
import type { Logger } from '../log/log.ts';
import type { Registry } from '../metrics/metrics.ts';
import { ApiError, isForbidden, NetworkError } from '../transport/errors.ts';
import { leaderMetrics } from './leader-metrics.ts';
import type { LeaseTiming } from './timing.ts';

interface ElectionReporterOptions {
  lease: ObjectKey & { namespace: string };
  identity: string;
  timing: LeaseTiming;
  clock: Clock;
  log: Logger;
  metrics?: Registry;
  onLeader?: (holder: string | undefined) => void;
}

/**
 * Reports an election through the log, a metric, a callback and the health check. This process counts as the leader
 * until its work has stopped. A failure that repeats unchanged is logged at level debug.
 */
export class ElectionReporter {
  readonly #options: ElectionReporterOptions;
  readonly #log: Logger;
  readonly #setGauge: (value: number) => void;
  #working = false;
  #lapsedAt: number | undefined;
  #holder: string | undefined;
  #reportedLeader: string | undefined;
  #lastFailure: string | undefined;
  #lastWatchFailure: string | undefined;

  constructor(options: ElectionReporterOptions) {
    this.#options = options;
    const lease = `${options.lease.namespace}/${options.lease.name}`;
    this.#log = options.log.child({ lease, identity: options.identity });
    const gauge = options.metrics && leaderMetrics(options.metrics);
    this.#setGauge = (value) => gauge?.set({ lease }, value);
    this.#setGauge(0);
  }

  leader(): string | undefined {
    return this.#working ? this.#options.identity : this.#holder;
  }

  problem(): string | undefined {
    const { clock, timing } = this.#options;
    if (!this.#working || this.#lapsedAt === undefined) return undefined;
    const forMs = clock.monotonic() - this.#lapsedAt;
    if (forMs <= timing.leaseDurationMs - timing.renewDeadlineMs) return undefined;
    return `Leadership was lost ${Math.round(forMs / 1000)} s ago, but the work of the leader has not stopped.`;
  }

  /** Waits for one attempt to acquire or renew the Lease and reports its failure. Never rejects. */
  async reportRound(round: Promise<void>): Promise<void> {
    try {
      await round;
      if (this.#lastFailure !== undefined) this.#log.info('access to lease recovered');
      this.#lastFailure = undefined;
    } catch (error) {
      this.#unreached(error);
    }
  }

  holderSeen(holder: string | undefined): void {
    this.#holder = holder;
    this.#reportLeader();
  }

  leads(): void {
    this.#working = true;
    this.#lapsedAt = undefined;
    this.#setGauge(1);
    this.#log.info('lease acquired');
    this.#reportLeader();
  }

  holds(): void {
    this.#lapsedAt = undefined;
  }

  /** Returns false when the loss has already been reported. */
  lapsed(holder: string | undefined): boolean {
    if (this.#lapsedAt !== undefined) return false;
    this.#lapsedAt = this.#options.clock.monotonic();
    this.#log.warn({ holder }, 'lease lost; stopping work');
    return true;
  }

  overdue(): void {
    this.#log.error('work has not stopped after the lease expired; another candidate may be leading');
  }

  workFailed(error: unknown): void {
    this.#log.error({ err: error }, 'work failed while stopping');
  }

  stopped(holder: string | undefined): void {
    this.#working = false;
    this.#lapsedAt = undefined;
    this.#setGauge(0);
    this.#log.info('work stopped');
    this.holderSeen(holder);
  }

  released(): void {
    this.#log.info('lease released');
    this.holderSeen(undefined);
  }

  releaseFailed(error: unknown): void {
    this.#log.warn({ err: error }, 'failed to release lease; other candidates must wait until it expires');
  }

  watchFailed(error: unknown): void {
    const trouble = kindOf(error);
    const level = trouble === this.#lastWatchFailure ? 'debug' : 'info';
    this.#lastWatchFailure = trouble;
    this.#log[level]({ err: error }, 'watch of lease failed; polling instead');
  }

  #unreached(error: unknown): void {
    const trouble = kindOf(error);
    const level = trouble === this.#lastFailure ? 'debug' : isForbidden(error) ? 'error' : 'warn';
    this.#lastFailure = trouble;
    const message = isForbidden(error)
      ? 'access to lease is forbidden; retrying (grant get, create, update and watch on leases.coordination.k8s.io)'
      : 'failed to acquire or renew lease; retrying';
    this.#log[level]({ err: error }, message);
  }

  #reportLeader(): void {
    const leader = this.leader();
    if (leader === this.#reportedLeader) return;
    this.#reportedLeader = leader;
    this.#log.info({ leader }, 'leader changed');
    try {
      this.#options.onLeader?.(leader);
    } catch (error) {
      this.#log.error({ err: error }, 'onLeader callback failed');
    }
  }
}

function kindOf(error: unknown): string {
  if (error instanceof ApiError) return `${error.status} ${error.reason}`;
  if (error instanceof NetworkError) return error.code;
  return error instanceof Error ? error.name : typeof error;
}
