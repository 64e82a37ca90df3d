import type { Pod } from '../../objects/pod.ts';
import type { StatefulSet } from '../../objects/workloads.ts';
import { isAvailable } from '../pods/pod-state.ts';
import { ordinalOf, revisionOf } from './stateful-pod.ts';

/** The next step. A finished pod is deleted first, and recreated by a later reconcile. */
export type Step =
  | { do: 'create'; ordinal: number; of: 'current' | 'update' }
  | { do: 'delete'; pod: Pod; because: 'scaled down' | 'outdated' | 'ended' };

export interface StatefulSetSnapshot {
  set: StatefulSet;
  /** The set's pods, including terminating ones. */
  pods: readonly Pod[];
  updateRevision: string;
  isGoing(pod: Pod): boolean;
  now: number;
}

/**
 * Plans one reconcile of a StatefulSet. With OrderedReady, each step waits until all pods before it are running and
 * ready, so a pod that never becomes ready blocks everything, including a rollback. With Parallel, creating and scaling
 * do not wait.
 */
export function planStatefulSet(snapshot: StatefulSetSnapshot): Step[] {
  const { set, isGoing } = snapshot;
  if (set.metadata.deletionTimestamp !== undefined) return [];
  const isOrdered = set.spec.podManagementPolicy !== 'Parallel';
  const { row, condemned, start } = arrange(snapshot);
  const steps: Step[] = [];
  for (const [index, pod] of row.entries()) {
    if (pod === undefined)
      steps.push({ do: 'create', ordinal: start + index, of: revisionFor(set, start + index, start) });
    else if (hasEnded(pod) && !isGoing(pod)) steps.push({ do: 'delete', pod, because: 'ended' });
    else if (isHealthy(snapshot, pod)) continue;
    if (isOrdered) return steps;
  }
  const goes = scaleDown(snapshot, row, condemned, isOrdered);
  if (goes.length > 0 || (isOrdered && condemned.length > 0)) return [...steps, ...goes];
  if (set.spec.updateStrategy.type === 'OnDelete') return steps;
  return [...steps, ...update(snapshot, row)];
}

/** Pods by ordinal, and the pods whose ordinal is out of range, the highest ordinal first. */
function arrange({ set, pods }: StatefulSetSnapshot): {
  row: (Pod | undefined)[];
  condemned: Pod[];
  start: number;
} {
  const start = set.spec.ordinals?.start ?? 0;
  const row: (Pod | undefined)[] = Array.from({ length: set.spec.replicas }, () => undefined);
  const condemned: { pod: Pod; ordinal: number }[] = [];
  for (const pod of pods) {
    const ordinal = ordinalOf(set, pod);
    if (ordinal === undefined) continue;
    if (ordinal >= start && ordinal < start + row.length) row[ordinal - start] = pod;
    else condemned.push({ pod, ordinal });
  }
  condemned.sort((a, b) => b.ordinal - a.ordinal);
  return { row, condemned: condemned.map(({ pod }) => pod), start };
}

/** Ordinals below the partition keep the current revision. */
function revisionFor({ spec }: StatefulSet, ordinal: number, start: number): 'current' | 'update' {
  const { type, rollingUpdate } = spec.updateStrategy;
  const partition = rollingUpdate?.partition ?? 0;
  return type === 'RollingUpdate' && ordinal < start + partition ? 'current' : 'update';
}

function scaleDown(
  snapshot: StatefulSetSnapshot,
  row: readonly (Pod | undefined)[],
  condemned: readonly Pod[],
  isOrdered: boolean,
): Step[] {
  const { isGoing } = snapshot;
  const deletion = (pod: Pod): Step => ({ do: 'delete', pod, because: 'scaled down' });
  if (!isOrdered) return condemned.filter((pod) => !isGoing(pod)).map(deletion);
  const [last] = condemned;
  if (last === undefined || isGoing(last)) return [];
  // Only the unhealthy pod with the lowest ordinal may be deleted while unhealthy; the others wait for it.
  const firstUnhealthy = [...row, ...condemned.toReversed()].find(
    (pod) => pod !== undefined && !isHealthy(snapshot, pod),
  );
  if (!isHealthy(snapshot, last) && last !== firstUnhealthy) return [];
  return [deletion(last)];
}

/** Updates one pod at a time, from the highest ordinal to the partition. Each waits for the higher ordinals. */
function update(snapshot: StatefulSetSnapshot, row: readonly (Pod | undefined)[]): Step[] {
  const { set, updateRevision, isGoing } = snapshot;
  const partition = set.spec.updateStrategy.rollingUpdate?.partition ?? 0;
  for (const pod of row.slice(partition).toReversed()) {
    if (pod === undefined) return [];
    if (revisionOf(pod) !== updateRevision && !isGoing(pod))
      return [{ do: 'delete', pod, because: 'outdated' }];
    if (!isHealthy(snapshot, pod)) return [];
  }
  return [];
}

function hasEnded({ status }: Pod): boolean {
  return status?.phase === 'Failed' || status?.phase === 'Succeeded';
}

/** Whether the pod is running, available and not terminating. */
function isHealthy({ set, isGoing, now }: StatefulSetSnapshot, pod: Pod): boolean {
  return (
    pod.status?.phase === 'Running' && !isGoing(pod) && isAvailable(pod, set.spec.minReadySeconds ?? 0, now)
  );
}
