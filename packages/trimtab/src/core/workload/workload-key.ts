import type { WorkloadKind } from './observed.ts';

/** `Deployment/web`: identifies a workload within its namespace. */
export type WorkloadKey = `${WorkloadKind}/${string}`;

export function workloadKey(kind: WorkloadKind, name: string): WorkloadKey {
  return `${kind}/${name}`;
}

/** `Deployment web`, as messages name a workload. */
export function workloadText(key: string): string {
  const { kind, name } = readWorkloadKey(key);
  return `${kind} ${name}`;
}

/** Accepts any text, because keys are also kept in annotations that users can edit. */
export function readWorkloadKey(key: string): { kind: string; name: string } {
  const [kind = '', name = ''] = key.split('/');
  return { kind, name };
}

export function isWorkloadKind(kind: string): kind is WorkloadKind {
  return kind === 'Deployment' || kind === 'StatefulSet' || kind === 'DaemonSet';
}
