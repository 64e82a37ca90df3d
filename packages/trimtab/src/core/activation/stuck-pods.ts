import type { Command, WorkloadPod, WorkloadState } from './types.ts';

/**
 * Deletes pods of a StatefulSet that are not Ready and run what was given up: its controller waits for them for
 * ever, even when its template is another one by now. Only once it has seen that template, or it would make the
 * same pods again.
 */
export function deleteStuckPods(
  { key, observed, pods }: WorkloadState,
  wasGivenUp: (pod: WorkloadPod) => boolean,
): Command[] {
  if (observed.kind !== 'StatefulSet' || observed.observedGeneration < observed.generation) return [];
  return pods
    .filter((pod) => wasGivenUp(pod) && !pod.ready && !pod.terminating)
    .map(({ name, uid }) => ({ do: 'delete pod', workload: key, pod: name, uid }));
}
