import type { ReconcileResult } from '@trimtab/kube/queue/reconcile-result.ts';
import type { Pod } from '../../objects/pod.ts';
import { availableInMs } from './pod-state.ts';

/** Requeues when the first of these pods becomes available: no event reports that minReadySeconds have passed. */
export function whenAvailable(
  pods: readonly Pod[],
  minReadySeconds: number,
  now: number,
): ReconcileResult | undefined {
  const waits = pods.flatMap((pod) => availableInMs(pod, minReadySeconds, now) || []);
  return waits.length === 0 ? undefined : { requeueAfterMs: Math.min(...waits) };
}
