import type { ManagedReferences } from '../references/assignment.ts';
import { configName } from '../references/config-key.ts';
import { presentFailure } from '../workload/pod-failure.ts';
import type { Command, WorkloadPod, WorkloadState } from './types.ts';

/**
 * Deletes pods of a StatefulSet that are not Ready and run an abandoned version. The StatefulSet controller waits for
 * such pods forever, even after the template changed. Pods are deleted only after that controller has observed the
 * new template; before that, it would create the same pods again.
 */
export function deleteStuckPods(
  { key, observed, pods, isReloaded }: WorkloadState,
  wasGivenUp: (pod: WorkloadPod) => boolean,
): Command[] {
  // Pods that are reloaded get another version in place.
  if (isReloaded || observed.kind !== 'StatefulSet' || observed.observedGeneration < observed.generation)
    return [];
  return pods
    .filter((pod) => wasGivenUp(pod) && !pod.ready && !pod.terminating)
    .map(({ name, uid }) => ({ do: 'delete pod', workload: key, pod: name, uid }));
}

/**
 * Deletes stuck pods whose versions are none of `known`: an activation that was superseded or has ended left them
 * behind. Pods below the partition run older versions because the user set the partition.
 */
export function deleteAbandonedPods(
  workload: WorkloadState,
  known: readonly (ManagedReferences | undefined)[],
): Command[] {
  if (known.includes(undefined)) return [];
  return deleteUpdatable(workload, ({ references }) =>
    [...references].some(
      ([config, object]) =>
        object !== configName(config) && !known.some((each) => each?.get(config) === object),
    ),
  );
}

/**
 * Deletes stuck pods of a manifest that was applied again: they name a config itself, whose content may be a rejected
 * one, and the template names its current version by now.
 */
export function deleteReappliedPods(workload: WorkloadState): Command[] {
  return deleteUpdatable(
    workload,
    (pod) =>
      presentFailure(pod, 0) !== undefined &&
      [...pod.references].some(
        ([config, object]) => object === configName(config) && workload.references.get(config) !== object,
      ),
  );
}

/** A StatefulSet updates neither pods below its partition nor, with OnDelete, any pod by itself. */
function deleteUpdatable(workload: WorkloadState, wasGivenUp: (pod: WorkloadPod) => boolean): Command[] {
  const { partition, strategy } = workload.observed;
  if (strategy === 'OnDelete') return [];
  return deleteStuckPods(workload, (pod) => ordinalOf(pod.name) >= partition && wasGivenUp(pod));
}

function ordinalOf(pod: string): number {
  return Number(pod.slice(pod.lastIndexOf('-') + 1));
}
