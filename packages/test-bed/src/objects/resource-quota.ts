import type { KubeObject } from '@trimtab/kube/wire.ts';

export interface ResourceQuota extends KubeObject {
  spec: { hard: Record<string, string> };
  status?: { used?: Record<string, string> };
}

/** A ResourceQuota with these hard limits: `resourceQuota('few-pods', { pods: '1' })`. */
export function resourceQuota(name: string, hard: Record<string, string>): ResourceQuota {
  return { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name }, spec: { hard } };
}
