import type { Node } from '../../objects/node.ts';
import type { Pod } from '../../objects/pod.ts';
import type { DaemonSet } from '../../objects/workloads.ts';
import { isAvailable, isReady } from '../pods/pod-state.ts';
import { isUpdated } from './daemon-pod.ts';
import { nodeShouldRun } from './node-should-run.ts';
import { podsByNode } from './plan-daemon-set.ts';

type Status = NonNullable<DaemonSet['status']>;

/** The status of a DaemonSet. The oldest pod of each node counts. */
export function daemonSetStatus(
  set: DaemonSet,
  nodes: readonly Node[],
  pods: readonly Pod[],
  { hash, collisionCount }: { hash: string; collisionCount: number | undefined },
  now: number,
): Status {
  const byNode = podsByNode(pods);
  const wanted = nodes.filter((node) => nodeShouldRun(set, node).run);
  const oldest = wanted.flatMap((node) => byNode.get(node.metadata.name ?? '')?.[0] ?? []);
  const misscheduled = nodes.filter(
    (node) => !wanted.includes(node) && byNode.has(node.metadata.name ?? ''),
  ).length;
  const available = oldest.filter((pod) => isAvailable(pod, set.spec.minReadySeconds ?? 0, now)).length;
  const updated = oldest.filter((pod) => isUpdated(pod, set, hash)).length;
  const unavailable = wanted.length - available;
  return {
    currentNumberScheduled: oldest.length,
    numberMisscheduled: misscheduled,
    desiredNumberScheduled: wanted.length,
    numberReady: oldest.filter(isReady).length,
    observedGeneration: set.metadata.generation ?? 0,
    ...(updated > 0 && { updatedNumberScheduled: updated }),
    ...(available > 0 && { numberAvailable: available }),
    ...(unavailable > 0 && { numberUnavailable: unavailable }),
    ...(collisionCount !== undefined && { collisionCount }),
  };
}
