import { backoffMs } from '@trimtab/kube/backoff.ts';
import { type Clock, sleep } from '@trimtab/kube/clock.ts';
import { linkedAbort } from '@trimtab/kube/watch/linked-abort.ts';
import type { Action, Outcome } from './outcome.ts';

export interface RetryOptions {
  clock: Clock;
  /** Time for one attempt. */
  timeoutMs: number;
  /** Attempts after the first one; only for an application that did not answer. */
  retries: number;
  signal: AbortSignal;
}

const backoff = { initialMs: 200, maxMs: 5_000 };

/** Runs an action. An application that does not answer may be starting, so the action is repeated. */
export async function runWithRetries(
  action: Action,
  writtenAtTicks: number,
  { clock, timeoutMs, retries, signal }: RetryOptions,
): Promise<Outcome> {
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    const { controller, unlink } = linkedAbort(signal);
    const cancel = clock.after(timeoutMs, () => controller.abort());
    const outcome = await action.run({ signal: controller.signal, writtenAtTicks }).finally(() => {
      cancel();
      unlink();
    });
    if (outcome.ok || outcome.kind === 'refused' || attempt > retries) return outcome;
    await sleep(clock, backoffMs(attempt, backoff, Math.random), signal);
  }
}
