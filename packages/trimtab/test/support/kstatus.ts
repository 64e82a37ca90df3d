import type { ConfigRollout } from '../../src/api/config-rollout.ts';
import { conditionOf } from './settled.ts';

/** What kstatus, the library that Helm and Flux wait with, computes for a custom resource (`status.Compute`). */
export function kstatus(object: ConfigRollout): 'Terminating' | 'InProgress' | 'Failed' | 'Current' {
  const { metadata, status } = object;
  if (metadata.deletionTimestamp !== undefined) return 'Terminating';
  if (status?.observedGeneration !== undefined && status.observedGeneration !== metadata.generation)
    return 'InProgress';
  for (const { type, status: is } of status?.conditions ?? []) {
    if (type === 'Reconciling' && is === 'True') return 'InProgress';
    if (type === 'Stalled' && is === 'True') return 'Failed';
  }
  return (conditionOf(object, 'Ready')?.status ?? 'True') === 'True' ? 'Current' : 'InProgress';
}
