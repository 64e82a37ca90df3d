import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { KubeClient, ObjectKey } from '../client.ts';
import type { Clock } from '../clock.ts';
import { systemClock } from '../clock.ts';
import type { Logger } from '../log/log.ts';
import type { Registry } from '../metrics/metrics.ts';
import { Candidate } from './candidate.ts';
import { ElectionReporter } from './election-reporter.ts';
import { standBy } from './stand-by.ts';
import { serveTerm, type Work } from './term.ts';
import { type LeaseTiming, leaseTiming } from './timing.ts';

export interface LeaderOptions {
  client: KubeClient;
  /** Its namespace must exist; the Lease itself is made when it is missing. */
  lease: ObjectKey & { namespace: string };
  /** Ends the candidacy: the work is told to stop, and when it has, the Lease is given back. */
  signal: AbortSignal;
  log: Logger;
  metrics?: Registry;
  clock?: Clock;
  timing?: Partial<LeaseTiming>;
  /** Who we are in the Lease. Must not be used by another process; host name and a random part unless told. */
  identity?: string;
  /** Told who leads, each time that changes; undefined when nobody does. */
  onLeader?: (holder: string | undefined) => void;
  /**
   * The work goes on although another may lead by now. Nothing in this process can stop it any more: end the
   * process here.
   */
  onOverdue?: () => void;
}

export interface Candidacy {
  readonly identity: string;
  /**
   * Resolves after `signal` was aborted or the work came to its own end; rejects with what the work rejected
   * with. In all cases the work has stopped and the Lease is given back, if the server let us.
   */
  readonly ended: Promise<void>;
  /** Who leads, as far as we know. It is us until our work has stopped, even if another has the Lease. */
  leader(): string | undefined;
  /** What is wrong, for a health check: the work did not stop when it had to. Standing by is healthy. */
  problem(): string | undefined;
}

/**
 * Runs `work` while this process holds the Lease, and again each time it gets it back. The work's signal is
 * aborted when the Lease could not be renewed in time or was taken; it must then stop, within the difference
 * of lease duration and renew deadline. A Lease is not a fence: writes still carry a resourceVersion.
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
      const end = await serveTerm(context, work);
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

/** One try: whoever stands by takes over anyway when the Lease has run out. */
async function giveBack(candidate: Candidate, reporter: ElectionReporter): Promise<void> {
  try {
    if (await candidate.release()) reporter.released();
  } catch (error) {
    reporter.releaseFailed(error);
  }
}
