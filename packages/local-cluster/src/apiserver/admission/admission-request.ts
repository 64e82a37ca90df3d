import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { UserInfo } from '../rbac/attributes.ts';

/** A write on its way in, as webhooks and policies see it. */
export interface AdmissionRequest {
  uid: string;
  operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  kind: { group: string; version: string; kind: string };
  resource: { group: string; version: string; resource: string };
  /** As the client asked: who wants another version of the same objects sees `kind` and `resource` in that one. */
  requestKind: { group: string; version: string; kind: string };
  requestResource: { group: string; version: string; resource: string };
  /** Other versions in which the same objects are served. */
  otherVersions: readonly string[];
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
