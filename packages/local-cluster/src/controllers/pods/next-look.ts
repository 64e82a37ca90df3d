import type { Outcome } from '@trimtab/kube/queue/outcome.ts';
import type { Pod } from '../../objects/pod.ts';
import { availableInMs } from './pod-state.ts';

/** When the first of these pods will have been ready for long enough: nothing else tells of it. */
export function whenAvailable(
  pods: readonly Pod[],
  minReadySeconds: number,
  now: number,
): Outcome | undefined {
  const waits = pods.flatMap((pod) => availableInMs(pod, minReadySeconds, now) || []);
  return waits.length === 0 ? undefined : { requeueAfterMs: Math.min(...waits) };
}
