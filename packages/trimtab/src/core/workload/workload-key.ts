import type { WorkloadKind } from './observed.ts';

/** `Deployment/web`: a workload within its namespace. */
export type WorkloadKey = `${WorkloadKind}/${string}`;

export function workloadKey(kind: WorkloadKind, name: string): WorkloadKey {
  return `${kind}/${name}`;
}

/** Of any text: keys are also kept in annotations, which people can edit. */
export function readWorkloadKey(key: string): { kind: string; name: string } {
  const [kind = '', name = ''] = key.split('/');
  return { kind, name };
}
