import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { KubeClient, ObjectKey } from '../client.ts';
import type { Clock } from '../clock.ts';
import { systemClock } from '../clock.ts';
import type { Logger } from '../log/log.ts';
import type { Registry } from '../metrics/metrics.ts';
import { Candidate } from './candidate.ts';
import { ElectionReporter } from './election-reporter.ts';
import { lead, type Work } from './lead.ts';
import { standBy } from './stand-by.ts';
import { type LeaseTiming, leaseTiming } from './timing.ts';

export interface LeaderOptions {
  client: KubeClient;
  /** The namespace must exist; the Lease is created when it does not exist. */
  lease: ObjectKey & { namespace: string };
  /** Ends the candidacy: the work is cancelled, and the Lease is released after the work has stopped. */
  signal: AbortSignal;
  log: Logger;
  metrics?: Registry;
  clock?: Clock;
  timing?: Partial<LeaseTiming>;
  /** Holder identity in the Lease; must be unique for each process. Defaults to the host name and a random UUID. */
  identity?: string;
  /** Called each time the leader changes; with undefined when there is no leader. */
  onLeader?: (holder: string | undefined) => void;
  /**
   * Called when the work has not stopped and another candidate may already lead. The work cannot be stopped within
   * this process, so the callback should exit the process.
   */
  onOverdue?: () => void;
}

export interface Candidacy {
  readonly identity: string;
  /**
   * Resolves after `signal` was aborted or the work has finished; rejects with the error of the work. In all cases
   * the work has stopped, and the Lease is released unless that request failed.
   */
  readonly ended: Promise<void>;
  /**
   * The last observed leader. It is this process until its work has stopped, even if another process holds the Lease.
   */
  leader(): string | undefined;
  /** For a health check: describes work that did not stop in time after leadership was lost. Standby is healthy. */
  problem(): string | undefined;
}

/**
 * Runs `work` while this process holds the Lease, and again each time that it reacquires the Lease. The signal of the
 * work aborts when the Lease could not be renewed in time or another process holds it. The work must then stop within
 * leaseDurationMs - renewDeadlineMs. A Lease does not fence writes: writes must still carry a resourceVersion.
 */
export function runAsLeader(options: LeaderOptions, work: Work): Candidacy {
  const timing = leaseTiming(options.timing);
  const clock = options.clock ?? systemClock;
  const identity = options.identity ?? `${hostname()}_${randomUUID()}`;
  const candidate = new Candidate({ ...options, identity, timing, clock });
  const reporter = new ElectionReporter({ ...options, identity, timing, clock });
  const context = { ...options, timing, clock, candidate, reporter };

  async function run(): Promise<void> {
    for (;;) {
      await standBy(context);
      if (options.signal.aborted) return candidate.mightHold() ? giveBack(candidate, reporter) : undefined;
      const end = await lead(context, work);
      if (end.why === 'lost') continue;
      await giveBack(candidate, reporter);
      if (end.why === 'failed') throw end.error;
      return;
    }
  }

  return {
    identity,
    ended: run(),
    leader: () => reporter.leader(),
    problem: () => reporter.problem(),
  };
}

/** Releases the Lease, without retries: a standby candidate acquires it anyway after it has expired. */
async function giveBack(candidate: Candidate, reporter: ElectionReporter): Promise<void> {
  try {
    if (await candidate.release()) reporter.released();
  } catch (error) {
    reporter.releaseFailed(error);
  }
}
