import type { ReconcileResult } from '@trimtab/kube/queue/reconcile-result.ts';

export type Unsubscribe = () => void;

export type Enqueue = (key: string, delayMs?: number) => void;

/**
 * One control loop of the controller. `reconcile` observes the cache, plans with pure functions of src/core and
 * applies the plan with writes that are guarded (resourceVersion, `test`, precondition) and safe to repeat. It writes
 * the status last and returns when to reconcile the key again.
 *
 * `reconcile` must tolerate being killed at any line, a stale cache, and a key whose object is gone. A conflict means
 * that the cache was stale: throw it, and the key is requeued.
 */
export interface Reconciler {
  readonly name: string;
  /** Number of keys that are reconciled concurrently. */
  readonly concurrency?: number;
  /**
   * Subscribes to the watches that the reconciler depends on and calls `enqueue` with the keys to reconcile, after
   * `delayMs` if given. Returns functions that unsubscribe, because the cache outlives a term of leadership.
   */
  listen(enqueue: Enqueue): Unsubscribe[];
  /** Delay before a changed key is reconciled. It merges changes in quick succession, for work that is not urgent. */
  readonly delayMs?: number;
  reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined>;
}
