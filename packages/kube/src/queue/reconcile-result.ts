/**
 * What a handler answers, and what follows from it:
 *
 * - It returns nothing: the key is done. It comes back when somebody adds it again.
 * - It returns `requeueAfterMs`: the key is done for now and comes back after that time, or earlier when
 *   somebody adds it. Zero means at once, behind whatever else waits.
 * - It throws: the key comes back by itself, after a wait that doubles with each failure in a row up to a
 *   limit. It comes back for ever: no key is given up, because nobody else would remember it.
 *
 * Both of the first two end a row of failures. A key that was added while it was handled comes back at once
 * in all three cases, because the handler may have looked before that change; what it answered about later is
 * then void, since the next run answers anew.
 */
export interface ReconcileResult {
  requeueAfterMs?: number;
}

export type Run = { result: 'returned'; outcome: ReconcileResult | undefined } | { result: 'threw' };

export type Next =
  | { next: 'nothing' }
  | { next: 'at-once' }
  | { next: 'after'; ms: number }
  | { next: 'retry'; atOnce: boolean };

/** The one place that decides what becomes of a key after its handler has run. */
export function decideNext(run: Run, addedMeanwhile: boolean): Next {
  if (run.result === 'threw') return { next: 'retry', atOnce: addedMeanwhile };
  const ms = run.outcome?.requeueAfterMs;
  if (addedMeanwhile || (ms !== undefined && ms <= 0)) return { next: 'at-once' };
  return ms === undefined ? { next: 'nothing' } : { next: 'after', ms };
}
