import type { Pod } from '../../objects/pod.ts';
import type { StatefulSet } from '../../objects/workloads.ts';
import { isAvailable, isReady } from '../pods/pod-state.ts';
import { revisionOf } from './stateful-pod.ts';

type Status = NonNullable<StatefulSet['status']>;

export interface Revisions {
  current: string;
  update: string;
  collisionCount: number | undefined;
}

/** The status of a StatefulSet. The update revision becomes current when all pods have it and are ready. */
export function statefulSetStatus(
  { metadata, spec }: StatefulSet,
  pods: readonly Pod[],
  { current, update, collisionCount }: Revisions,
  now: number,
): Status {
  const stays = pods.filter((pod) => pod.metadata.deletionTimestamp === undefined);
  const running = pods.filter((pod) => pod.status?.phase === 'Running');
  const ready = running.filter(isReady).length;
  const ofRevision = (revision: string) => stays.filter((pod) => revisionOf(pod) === revision).length;
  const updated = ofRevision(update);
  const isComplete =
    spec.updateStrategy.type === 'RollingUpdate' &&
    [updated, ready, pods.length].every((count) => count === spec.replicas);
  const currentRevision = isComplete ? update : current;
  const available = running.filter((pod) => isAvailable(pod, spec.minReadySeconds ?? 0, now)).length;
  const count = (key: keyof Status, value: number) => (value === 0 ? {} : { [key]: value });
  return {
    observedGeneration: metadata.generation ?? 0,
    replicas: pods.length,
    ...count('readyReplicas', ready),
    ...count('currentReplicas', isComplete ? updated : ofRevision(currentRevision)),
    ...count('updatedReplicas', updated),
    currentRevision,
    updateRevision: update,
    collisionCount: collisionCount ?? 0,
    availableReplicas: available,
  };
}
