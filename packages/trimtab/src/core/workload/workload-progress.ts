import type { ObservedWorkload } from './observed.ts';

export interface WorkloadProgress {
  /** All pods run the newest template and are available. */
  done: boolean;
  updated: number;
  total: number;
  /** The rollout waits for an action of a user; no deadline applies. */
  waitsFor?: 'delete' | 'resume';
}

/** Returns the progress of a workload, counted as in `kubectl rollout status`. */
export function workloadProgress(workload: ObservedWorkload): WorkloadProgress {
  const total = mustUpdate(workload);
  // Until the workload controller has observed the new template, the numbers refer to the old one.
  if (workload.observedGeneration < workload.generation)
    return { done: false, updated: 0, total, ...waits(workload) };
  const updated = Math.min(workload.updated, total);
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

/** Whether the workload is unhealthy although its last rollout completed or was given up. */
export function isBroken(workload: ObservedWorkload): boolean {
  // The status refers to an older template and says nothing about the newest one.
  if (workload.observedGeneration < workload.generation) return false;
  return !workloadProgress(workload).done && (workload.rolledOut || workload.stalled);
}

function waits(workload: ObservedWorkload): { waitsFor?: 'delete' | 'resume' } {
  if (workload.paused) return { waitsFor: 'resume' };
  if (workload.strategy === 'OnDelete') return { waitsFor: 'delete' };
  return {};
}
