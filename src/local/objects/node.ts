import type { KubeObject } from '../../api/wire.ts';

export interface Taint {
  key: string;
  value?: string;
  effect: string;
}

/** Nodes as the scheduler reads them. */
export interface Node extends KubeObject {
  spec?: { unschedulable?: boolean; taints?: Taint[] };
  status?: { allocatable?: Record<string, string> };
}
