import type { Command, WorkloadPod, WorkloadState } from './types.ts';

/**
 * Deletes pods of a StatefulSet that are not Ready and run an abandoned version. The StatefulSet controller waits for
 * such pods forever, even after the template changed. Pods are deleted only after that controller has observed the
 * new template; before that, it would create the same pods again.
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
