/** The authenticated caller. */
export interface UserInfo {
  username: string;
  uid?: string;
  groups: readonly string[];
  extra?: Readonly<Record<string, readonly string[]>>;
}

/** Groups of every service account of a namespace, without `system:authenticated`, which authentication adds. */
export function serviceAccountGroups(namespace: string): string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}

/** A request in the terms of Kubernetes' authorisation. */
export type Attributes = ResourceAttributes | PathAttributes;

export interface ResourceAttributes {
  user: UserInfo;
  verb: string;
  group: string;
  resource: string;
  /** Empty for the resource itself. */
  subresource: string;
  /** Empty for cluster-scoped objects and for requests across all namespaces. */
  namespace: string;
  /** Empty for lists and creates. */
  name: string;
}

/** A request for a non-resource path, such as `/healthz` or `/openapi/v3`. */
export interface PathAttributes {
  user: UserInfo;
  verb: string;
  path: string;
}

export function isPath(attributes: Attributes): attributes is PathAttributes {
  return 'path' in attributes;
}

/** Kubernetes' message for a 403. */
export function refusal(attributes: Attributes): string {
  const who = `User ${JSON.stringify(attributes.user.username)} cannot ${attributes.verb}`;
  if (isPath(attributes)) return `${who} path ${JSON.stringify(attributes.path)}`;
  const { resource, subresource, group, namespace } = attributes;
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  return `${who} resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)} ${where}`;
}
