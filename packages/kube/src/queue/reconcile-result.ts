/**
 * The result of a handler decides when its key is handled again:
 *
 * - Returning nothing completes the key. It is handled again when it is added again.
 * - Returning `requeueAfterMs` requeues the key after that time, or earlier when it is added. Zero requeues the key
 *   immediately, behind all waiting keys.
 * - Returning `staleCache` requeues the key with exponential backoff, up to a few seconds: the handler could not do its
 *   work because the cache has not caught up. The change that is missing usually adds the key before that.
 * - Throwing requeues the key with exponential backoff, up to a maximum delay. Retries never end, because the queue is
 *   the only place that remembers the key.
 *
 * The first two reset the backoff. A key that is added while its handler runs is requeued immediately in all four
 * cases, because the handler may have read the state before that change. Its `requeueAfterMs` is then ignored; the
 * next run returns a new one.
 */
export interface ReconcileResult {
  requeueAfterMs?: number;
  staleCache?: true;
}

export type Run = { result: 'returned'; outcome: ReconcileResult | undefined } | { result: 'threw' };

export type Next =
  | { next: 'nothing' }
  | { next: 'at-once' }
  | { next: 'after'; ms: number }
  | { next: 'retry' | 'catch up'; atOnce: boolean };

/** Decides how a key continues after its handler has run. */
export function decideNext(run: Run, addedWhileRunning: boolean): Next {
  if (run.result === 'threw') return { next: 'retry', atOnce: addedWhileRunning };
  if (run.outcome?.staleCache) return { next: 'catch up', atOnce: addedWhileRunning };
  const ms = run.outcome?.requeueAfterMs;
  if (addedWhileRunning || (ms !== undefined && ms <= 0)) return { next: 'at-once' };
  return ms === undefined ? { next: 'nothing' } : { next: 'after', ms };
}
