import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { UserInfo } from '../rbac/attributes.ts';

/** A write under admission, as webhooks and policies see it. */
export interface AdmissionRequest {
  uid: string;
  operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  kind: { group: string; version: string; kind: string };
  resource: { group: string; version: string; resource: string };
  /** As the client sent it. Where a webhook matches another version, `kind` and `resource` are in that version. */
  requestKind: { group: string; version: string; kind: string };
  requestResource: { group: string; version: string; resource: string };
  /** Other versions in which the same objects are served. */
  otherVersions: readonly string[];
  subresource: string;
  name: string;
  /** Empty for cluster-scoped objects; the name of a Namespace for the Namespace itself. */
  namespace: string;
  /** Labels of the namespace; empty for cluster-scoped objects. */
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
