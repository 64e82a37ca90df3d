import type { KubeObject } from '@trimtab/kube/wire.ts';

/** A ConfigMap or Secret in the wire format of Kubernetes. */
export interface ConfigBody extends KubeObject {
  data?: Record<string, string>;
  binaryData?: Record<string, string>;
  /** Only Secrets have a type. */
  type?: string;
  immutable?: boolean;
}
