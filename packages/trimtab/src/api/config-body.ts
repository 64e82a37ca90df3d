import type { KubeObject } from '@trimtab/kube/wire.ts';

/** A ConfigMap or Secret as Kubernetes writes it. */
export interface ConfigBody extends KubeObject {
  data?: Record<string, string>;
  binaryData?: Record<string, string>;
  /** Of a Secret. */
  type?: string;
  immutable?: boolean;
}
