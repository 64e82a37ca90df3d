import { labelsMatch } from '../../apiserver/selector/object-selector.ts';
import type { Pod } from '../../objects/pod.ts';
import { timestamp } from '../../objects/timestamp.ts';
import type { Condition, ReplicaSet } from '../../objects/workloads.ts';
import { isAvailable, isReady } from '../pods/pod-state.ts';

export interface Counted {
  active: readonly Pod[];
  /** Number of pods that are terminating. Undefined for ReplicationControllers, whose status does not have it. */
  terminating: number | undefined;
  /** Set when creating or deleting pods failed. */
  failure?: Failure;
}

export interface Failure {
  reason: 'FailedCreate' | 'FailedDelete';
  message: string;
}

type Status = NonNullable<ReplicaSet['status']>;

/** The desired status. As in Kubernetes, counts of zero are omitted, except `replicas` and `terminatingReplicas`. */
export function replicaSetStatus(
  set: ReplicaSet,
  { active, terminating, failure }: Counted,
  now: number,
): Status {
  const { minReadySeconds = 0, template } = set.spec;
  const labels = { matchLabels: template.metadata?.labels ?? {} };
  const count = (test: (pod: Pod) => boolean) => active.filter(test).length;
  const conditions = conditionsWith(set.status?.conditions ?? [], failure, now);
  const counts = {
    fullyLabeledReplicas: count(({ metadata }) => labelsMatch(labels, metadata.labels ?? {})),
    readyReplicas: count(isReady),
    availableReplicas: count((pod) => isAvailable(pod, minReadySeconds, now)),
    observedGeneration: set.metadata.generation ?? 0,
  };
  return {
    replicas: active.length,
    ...Object.fromEntries(Object.entries(counts).filter(([, value]) => value !== 0)),
    ...(terminating !== undefined && { terminatingReplicas: terminating }),
    ...(conditions.length > 0 && { conditions }),
  };
}

/** A persisting failure keeps its first message. */
function conditionsWith(
  before: readonly Condition[],
  failure: Failure | undefined,
  now: number,
): Condition[] {
  if (failure === undefined) return before.filter(({ type }) => type !== 'ReplicaFailure');
  if (before.some(({ type }) => type === 'ReplicaFailure')) return [...before];
  return [
    ...before,
    { type: 'ReplicaFailure', status: 'True', lastTransitionTime: timestamp(now), ...failure },
  ];
}
