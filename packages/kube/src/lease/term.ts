import type { Clock } from '../clock.ts';
import type { Candidate } from './candidate.ts';
import type { ElectionReporter } from './election-reporter.ts';
import { InterruptibleWait } from './interruptible-wait.ts';
import type { LeaseTiming } from './timing.ts';

/**
 * What only one process may do. It stops when `signal` is aborted, and its promise settles when it has stopped:
 * that is how the election knows. `holds()` looks at the clock at this very moment; ask it before a step that
 * cannot be taken back, because after a stalled event loop the signal may come late.
 */
export type Work = (signal: AbortSignal, leadership: { holds(): boolean }) => Promise<void>;

/** `lost`: stand by again. Otherwise the candidacy is over. */
export type TermEnd = { why: 'lost' } | { why: 'ended' } | { why: 'failed'; error: unknown };

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

/** Runs the work and renews the Lease until the work has stopped: also after it was told to, so that it can. */
export async function serveTerm(context: TermContext, work: Work): Promise<TermEnd> {
  const { candidate, clock, reporter, signal, timing } = context;
  const stop = new AbortController();
  const wait = new InterruptibleWait();
  let stopped = false;
  const deadline = new Deadline(context, () => stop.abort(new LeaseLost('The Lease was lost.')));
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
    // From start to start: a round that hung is followed by the next one at once.
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

/** Tells the work to stop when the time is over, and says so when it has not stopped before another may lead. */
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
    return { error: error ?? new Error('The work rejected without a reason.') };
  }
}

function isAbort(error: unknown, signal: AbortSignal): boolean {
  return error === signal.reason || (error instanceof Error && error.name === 'AbortError');
}
