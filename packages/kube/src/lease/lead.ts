import type { Clock } from '../clock.ts';
import type { Candidate } from './candidate.ts';
import type { ElectionReporter } from './election-reporter.ts';
import { InterruptibleWait } from './interruptible-wait.ts';
import type { LeaseTiming } from './timing.ts';

/**
 * Work that only the leader may do. It must stop when `signal` aborts, and its promise must settle when it has
 * stopped. `holds()` checks the clock at the time of the call. Call it before a step that cannot be undone, because a
 * stalled event loop can delay the signal.
 */
export type Work = (signal: AbortSignal, leadership: { holds(): boolean }) => Promise<void>;

/** After `lost` the candidate returns to standby. After any other value the candidacy ends. */
export type LeadershipEnd = { why: 'lost' } | { why: 'ended' } | { why: 'failed'; error: unknown };

interface TermContext {
  signal: AbortSignal;
  clock: Clock;
  timing: LeaseTiming;
  candidate: Candidate;
  reporter: ElectionReporter;
  onOverdue?: () => void;
}

class LeaseLost extends Error {
  override readonly name = 'AbortError';
}

/** Runs the work and renews the Lease until the work has stopped, including the time that the work takes to stop. */
export async function lead(context: TermContext, work: Work): Promise<LeadershipEnd> {
  const { candidate, clock, reporter, signal, timing } = context;
  const stop = new AbortController();
  const wait = new InterruptibleWait();
  let stopped = false;
  const deadline = new Deadline(context, () => stop.abort(new LeaseLost('leadership was lost')));
  const onShutdown = () => stop.abort(signal.reason);
  signal.addEventListener('abort', onShutdown);

  reporter.leads();
  const outcome = settled(work, stop.signal, candidate).then((end) => {
    stopped = true;
    wait.wake();
    return end;
  });
  deadline.check();
  let lastRound = clock.monotonic();
  while (!stopped) {
    // The period is measured from start to start: after an attempt that hung, the next attempt starts immediately.
    await wait.sleep(clock, Math.max(0, lastRound + timing.retryPeriodMs - clock.monotonic()));
    if (stopped) break;
    lastRound = clock.monotonic();
    await reporter.reportRound(candidate.round());
    deadline.check();
  }
  deadline.clear();
  signal.removeEventListener('abort', onShutdown);

  const { error } = await outcome;
  const failed = error !== undefined && !(stop.signal.aborted && isAbort(error, stop.signal));
  reporter.stopped(candidate.holder());
  if (deadline.wasMissed && !signal.aborted) {
    if (failed) reporter.workFailed(error);
    return { why: 'lost' };
  }
  return failed ? { why: 'failed', error } : { why: 'ended' };
}

/** Aborts the work at the renew deadline, and reports work that has not stopped when another candidate may lead. */
class Deadline {
  readonly #context: TermContext;
  readonly #onMissed: () => void;
  #cancel: () => void = () => {};
  wasMissed = false;

  constructor(context: TermContext, onMissed: () => void) {
    this.#context = context;
    this.#onMissed = onMissed;
  }

  check(): void {
    const { candidate, clock, reporter, timing } = this.#context;
    const left = (candidate.leadsUntil() ?? Number.NEGATIVE_INFINITY) - clock.monotonic();
    if (left > 0) {
      reporter.holds();
      this.#set(left, () => this.check());
    } else if (reporter.lapsed(candidate.holder())) {
      this.wasMissed = true;
      this.#set(timing.leaseDurationMs - timing.renewDeadlineMs, () => this.#overdue());
      this.#onMissed();
    }
  }

  clear(): void {
    this.#cancel();
  }

  #overdue(): void {
    this.#context.reporter.overdue();
    this.#context.onOverdue?.();
  }

  #set(ms: number, callback: () => void): void {
    this.#cancel();
    this.#cancel = this.#context.clock.after(ms, callback);
  }
}

async function settled(work: Work, signal: AbortSignal, candidate: Candidate): Promise<{ error?: unknown }> {
  try {
    await work(signal, { holds: () => candidate.mayLead() });
    return {};
  } catch (error) {
    return { error: error ?? new Error('the work of the leader rejected without an error') };
  }
}

function isAbort(error: unknown, signal: AbortSignal): boolean {
  return error === signal.reason || (error instanceof Error && error.name === 'AbortError');
}
