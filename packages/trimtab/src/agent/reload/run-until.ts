import { backoffMs } from '@trimtab/kube/backoff.ts';
import { type Clock, sleep } from '@trimtab/kube/clock.ts';
import { linkedAbort } from '@trimtab/kube/watch/linked-abort.ts';
import type { Action, Outcome } from './outcome.ts';

export interface UntilOptions {
  clock: Clock;
  /** Time for one attempt. */
  attemptMs: number;
  /** No attempt starts or lasts longer than this, in the monotonic time of the clock. */
  deadline: number;
  /** Ends the wait for the next attempt, when there is something newer to tell. */
  superseded?: AbortSignal;
  signal: AbortSignal;
}

const backoff = { initialMs: 50, maxMs: 2_000 };

/** Repeats an action until the application answers, or the time is over. */
export async function runUntil(
  action: Action,
  writtenAtTicks: number,
  { clock, attemptMs, deadline, superseded, signal }: UntilOptions,
): Promise<Outcome> {
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    const { controller, unlink } = linkedAbort(signal);
    const leftMs = Math.max(0, deadline - clock.monotonic());
    const cancel = clock.after(Math.min(attemptMs, leftMs), () => controller.abort());
    const outcome = await action.run({ signal: controller.signal, writtenAtTicks }).finally(() => {
      cancel();
      unlink();
    });
    if (outcome.ok || outcome.kind === 'refused') return outcome;
    const waitMs = backoffMs(attempt, backoff, Math.random);
    if (superseded?.aborted || clock.monotonic() + waitMs >= deadline) return outcome;
    await sleep(clock, waitMs, superseded ? AbortSignal.any([signal, superseded]) : signal).catch(() => {});
    if (superseded?.aborted) return outcome;
  }
}
