/** Who asks, as authentication found out. */
export interface UserInfo {
  username: string;
  uid?: string;
  groups: readonly string[];
  extra?: Readonly<Record<string, readonly string[]>>;
}

/** Of every service account of a namespace; whether it is authenticated is for others to say. */
export function serviceAccountGroups(namespace: string): string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}

/** What is asked for, in the terms of Kubernetes' authorisation. */
export type Attributes = ResourceAttributes | PathAttributes;

export interface ResourceAttributes {
  user: UserInfo;
  verb: string;
  group: string;
  resource: string;
  /** '' for the resource itself. */
  subresource: string;
  /** '' for what has none, and for a list over all namespaces. */
  namespace: string;
  /** '' for a list or a creation. */
  name: string;
}

/** A path that is no resource: `/healthz`, `/openapi/v3`. */
export interface PathAttributes {
  user: UserInfo;
  verb: string;
  path: string;
}

export function isPath(attributes: Attributes): attributes is PathAttributes {
  return 'path' in attributes;
}

/** The sentence of a 403, word for word as Kubernetes has it. */
export function refusal(attributes: Attributes): string {
  const who = `User ${JSON.stringify(attributes.user.username)} cannot ${attributes.verb}`;
  if (isPath(attributes)) return `${who} path ${JSON.stringify(attributes.path)}`;
  const { resource, subresource, group, namespace } = attributes;
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  return `${who} resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)} ${where}`;
}
