import type { KubeObject } from '@trimtab/kube/wire.ts';

export interface Taint {
  key: string;
  value?: string;
  effect: string;
}

export interface NodeCondition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
  lastHeartbeatTime: string;
  lastTransitionTime: string;
}

/** Nodes as the kubelet writes and the scheduler reads them. */
export interface Node extends KubeObject {
  spec?: { unschedulable?: boolean; taints?: Taint[] };
  status?: {
    allocatable?: Record<string, string>;
    conditions?: NodeCondition[];
    [field: string]: unknown;
  };
}
