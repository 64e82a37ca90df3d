import type { ObservedWorkload } from './observed.ts';

export interface WorkloadProgress {
  /** All pods run the newest template and are available. */
  done: boolean;
  updated: number;
  total: number;
  /** The rollout waits for an action of a user; no deadline applies. */
  waitsFor?: WaitsFor;
}

/** A user has to delete pods (OnDelete), resume the Deployment, or lower the partition of the StatefulSet. */
export type WaitsFor = 'delete' | 'resume' | 'partition';

/** Returns the progress of a workload, counted as in `kubectl rollout status`. */
export function workloadProgress(workload: ObservedWorkload): WorkloadProgress {
  const total = mustUpdate(workload);
  // Until the workload controller has observed the new template, the numbers refer to the old one.
  if (workload.observedGeneration < workload.generation)
    return { done: false, updated: 0, total, ...waits(workload) };
  const updated = Math.min(workload.updated, total);
  if (isHeldByPartition(workload)) return { done: false, updated: 0, total, waitsFor: 'partition' };
  if (isDone(workload, total)) return { done: true, updated, total };
  return { done: false, updated, total, ...waits(workload) };
}

/** Number of pods that must be updated. The partition of a StatefulSet excludes the others. */
function mustUpdate({ kind, desired, partition }: ObservedWorkload): number {
  return kind === 'StatefulSet' ? Math.max(0, desired - partition) : desired;
}

function isDone(workload: ObservedWorkload, total: number): boolean {
  const { kind, desired, replicas, updated, ready, available, partition, strategy, rolledOut } = workload;
  switch (kind) {
    case 'Deployment':
      return updated >= desired && replicas <= updated && available >= updated;
    case 'DaemonSet':
      return updated >= desired && available >= desired;
    case 'StatefulSet':
      if (ready < desired || updated < total) return false;
      // The StatefulSet controller never reports `rolledOut` with OnDelete or with a partition.
      return partition > 0 || strategy === 'OnDelete' || desired === 0 || rolledOut;
  }
}

/** Whether pods are wanted, and all of them run the newest template and are available. */
export function isHealthy(workload: ObservedWorkload): boolean {
  return workload.desired > 0 && workloadProgress(workload).done;
}

/** Whether all pods run the newest template, available or not, and no older pod is left. */
export function isReplaced(workload: ObservedWorkload): boolean {
  const { kind, observedGeneration, generation, updated, replicas } = workload;
  if (observedGeneration < generation || updated < mustUpdate(workload)) return false;
  return kind !== 'Deployment' || replicas <= updated;
}

/** A partition at or above the number of replicas keeps every pod on its old template. */
function isHeldByPartition({ kind, desired, partition, rolledOut }: ObservedWorkload): boolean {
  return kind === 'StatefulSet' && desired > 0 && partition >= desired && !rolledOut;
}

function waits(workload: ObservedWorkload): { waitsFor?: WaitsFor } {
  if (workload.paused) return { waitsFor: 'resume' };
  if (workload.strategy === 'OnDelete') return { waitsFor: 'delete' };
  return {};
}
