import type { KubeObject } from '../../../api/wire.ts';
import type { UserInfo } from '../rbac/attributes.ts';

/** A write on its way in, as webhooks and policies see it. */
export interface AdmissionRequest {
  uid: string;
  operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  kind: { group: string; version: string; kind: string };
  resource: { group: string; version: string; resource: string };
  subresource: string;
  name: string;
  /** '' for what has none. */
  namespace: string;
  /** Of the namespace itself; empty for what has none. */
  namespaceLabels: Readonly<Record<string, string>>;
  namespaceObject: KubeObject | undefined;
  userInfo: UserInfo;
  /** Undefined for a DELETE. */
  object: KubeObject | undefined;
  /** Undefined for a CREATE. */
  oldObject: KubeObject | undefined;
  dryRun: boolean;
  options: unknown;
}
