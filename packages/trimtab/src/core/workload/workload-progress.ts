import type { ObservedWorkload } from './observed.ts';

export interface WorkloadProgress {
  /** Everything runs the newest template, and is available. */
  done: boolean;
  updated: number;
  total: number;
  /** Nothing will happen until a person does something; no deadline runs. */
  waitsFor?: 'delete' | 'resume';
}

/** How far a workload has come, counted as `kubectl rollout status` counts it. */
export function workloadProgress(workload: ObservedWorkload): WorkloadProgress {
  const total = mustUpdate(workload);
  // Until its controller has seen the new template, the numbers speak of the old one.
  if (workload.observedGeneration < workload.generation)
    return { done: false, updated: 0, total, ...waits(workload) };
  const updated = Math.min(workload.updated, total);
  if (isDone(workload, total)) return { done: true, updated, total };
  return { done: false, updated, total, ...waits(workload) };
}

/** Pods that have to take the template: a StatefulSet's partition keeps the others where they are. */
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
      // Its controller never says so of pods that a person deletes, nor of those above a partition.
      return partition > 0 || strategy === 'OnDelete' || desired === 0 || rolledOut;
  }
}

/** Whether it had problem of its own: it was rolled out, or given up, and is not well. */
export function isBroken(workload: ObservedWorkload): boolean {
  // What its controller says of an older template says nothing about the newest one.
  if (workload.observedGeneration < workload.generation) return false;
  return !workloadProgress(workload).done && (workload.rolledOut || workload.stalled);
}

function waits(workload: ObservedWorkload): { waitsFor?: 'delete' | 'resume' } {
  if (workload.paused) return { waitsFor: 'resume' };
  if (workload.strategy === 'OnDelete') return { waitsFor: 'delete' };
  return {};
}
