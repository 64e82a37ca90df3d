import type { ReconcileResult } from '@trimtab/kube/queue/reconcile-result.ts';
import type { Pod } from '../../objects/pod.ts';
import { availableInMs } from './pod-state.ts';

/** When the first of these pods will have been ready for long enough: nothing else tells of it. */
export function whenAvailable(
  pods: readonly Pod[],
  minReadySeconds: number,
  now: number,
): ReconcileResult | undefined {
  const waits = pods.flatMap((pod) => availableInMs(pod, minReadySeconds, now) || []);
  return waits.length === 0 ? undefined : { requeueAfterMs: Math.min(...waits) };
}
