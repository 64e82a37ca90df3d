import type { ReconcileResult } from '@trimtab/kube/queue/reconcile-result.ts';

export type Unsubscribe = () => void;

/**
 * One job of the controller. *Observe* the cache, *plan* by pure functions of src/core, *apply* by writes that
 * are each guarded (resourceVersion, `test`, precondition) and safe to repeat, write status last, and answer when
 * to look again. It may be killed at any line, run on an stale cache, and be called for a key that is gone.
 * A conflict means that the cache was old: throw it, the key comes back.
 */
export interface Reconciler {
  readonly name: string;
  /** How many keys are looked at at a time, if not the usual number. */
  readonly concurrency?: number;
  /**
   * Subscribes to what it depends on and calls `enqueue` with the keys to look at. Answers how to end each of that:
   * the cache outlives a term of leadership.
   */
  listen(enqueue: (key: string) => void): Unsubscribe[];
  /** Nobody waits for it: so long after a change, so that what changes in quick succession is looked at once. */
  readonly delayMs?: number;
  reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined>;
}
