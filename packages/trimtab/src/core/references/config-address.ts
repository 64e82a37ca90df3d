import type { ConfigKind } from './references.ts';

/** Identifies a config in the cluster. */
export interface ConfigAddress {
  kind: ConfigKind;
  namespace: string;
  name: string;
}
