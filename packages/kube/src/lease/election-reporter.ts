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
 * What the outside learns about an election: log, metric, callback, health. It says that we lead until our work
 * has stopped, and it repeats no trouble that goes on unchanged.
 */
export class ElectionReporter {
  readonly #options: ElectionReporterOptions;
  readonly #log: Logger;
  readonly #setGauge: (value: number) => void;
  #working = false;
  #lapsedAt: number | undefined;
  #holder: string | undefined;
  #told: string | undefined;
  #trouble: string | undefined;
  #watchTrouble: string | undefined;

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
    return `The Lease was lost ${Math.round(forMs / 1000)} s ago and the work has not stopped yet.`;
  }

  /** One round of an election, with its failure reported. Never rejects. */
  async reportRound(round: Promise<void>): Promise<void> {
    try {
      await round;
      if (this.#trouble !== undefined) this.#log.info('lease reached again');
      this.#trouble = undefined;
    } catch (error) {
      this.#unreached(error);
    }
  }

  holderSeen(holder: string | undefined): void {
    this.#holder = holder;
    this.#tell();
  }

  leads(): void {
    this.#working = true;
    this.#lapsedAt = undefined;
    this.#setGauge(1);
    this.#log.info('lease acquired');
    this.#tell();
  }

  holds(): void {
    this.#lapsedAt = undefined;
  }

  /** Answers whether that is new. */
  lapsed(holder: string | undefined): boolean {
    if (this.#lapsedAt !== undefined) return false;
    this.#lapsedAt = this.#options.clock.monotonic();
    this.#log.warn({ holder }, 'lease lost, stopping the work');
    return true;
  }

  overdue(): void {
    this.#log.error('the work goes on although another may lead by now');
  }

  workFailed(error: unknown): void {
    this.#log.error({ err: error }, 'the work failed while it stopped');
  }

  stopped(holder: string | undefined): void {
    this.#working = false;
    this.#lapsedAt = undefined;
    this.#setGauge(0);
    this.#log.info('the work has stopped');
    this.holderSeen(holder);
  }

  released(): void {
    this.#log.info('lease released');
    this.holderSeen(undefined);
  }

  releaseFailed(error: unknown): void {
    this.#log.warn({ err: error }, 'lease not released, others take over when it has run out');
  }

  watchFailed(error: unknown): void {
    const trouble = kindOf(error);
    const level = trouble === this.#watchTrouble ? 'debug' : 'info';
    this.#watchTrouble = trouble;
    this.#log[level]({ err: error }, 'lease not watched, a release is noticed by the next look at it');
  }

  #unreached(error: unknown): void {
    const trouble = kindOf(error);
    const level = trouble === this.#trouble ? 'debug' : isForbidden(error) ? 'error' : 'warn';
    this.#trouble = trouble;
    const message = isForbidden(error)
      ? 'lease forbidden: grant get, create, update and watch on leases.coordination.k8s.io; trying again'
      : 'lease not reached, trying again';
    this.#log[level]({ err: error }, message);
  }

  #tell(): void {
    const leader = this.leader();
    if (leader === this.#told) return;
    this.#told = leader;
    this.#log.info({ leader }, 'leader changed');
    try {
      this.#options.onLeader?.(leader);
    } catch (error) {
      this.#log.error({ err: error }, 'the onLeader callback failed');
    }
  }
}

function kindOf(error: unknown): string {
  if (error instanceof ApiError) return `${error.status} ${error.reason}`;
  if (error instanceof NetworkError) return error.code;
  return error instanceof Error ? error.name : typeof error;
}
