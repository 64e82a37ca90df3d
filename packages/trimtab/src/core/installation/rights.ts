import type { KubeObject } from '@trimtab/kube/wire.ts';
import { ownLabels } from '../../api/names.ts';

const rbac = 'rbac.authorization.k8s.io';

export interface Rule {
  apiGroups: string[];
  resources: string[];
  verbs: string[];
  resourceNames?: string[];
}

/** `rule('apps', ['deployments'], ['get'])`; the core group is ''. */
export function rule(group: string, resources: string[], verbs: string[], resourceNames?: string[]): Rule {
  return { apiGroups: [group], resources, verbs, ...(resourceNames && { resourceNames }) };
}

interface RoleObject extends KubeObject {
  rules: Rule[];
}

export function clusterRole(name: string, rules: Rule[], labels: Record<string, string> = {}): RoleObject {
  const metadata = { name, labels: { ...ownLabels, ...labels } };
  return { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata, rules };
}

/** A ServiceAccount of Trimtab. */
interface Account {
  name: string;
  namespace: string;
}

/** A role for one of Trimtab's service accounts and its binding, in each of these namespaces or cluster-wide. */
export function roleAndBinding(
  account: Account,
  name: string,
  rules: Rule[],
  namespaces?: readonly string[],
): KubeObject[] {
  if (namespaces === undefined) return boundRole(account, name, rules, undefined);
  return namespaces.flatMap((namespace) => boundRole(account, name, rules, namespace));
}

function boundRole(
  account: Account,
  name: string,
  rules: Rule[],
  namespace: string | undefined,
): KubeObject[] {
  const kind = namespace === undefined ? 'ClusterRole' : 'Role';
  const metadata = { name, labels: ownLabels, ...(namespace !== undefined && { namespace }) };
  const role: RoleObject = { apiVersion: `${rbac}/v1`, kind, metadata, rules };
  const binding = {
    apiVersion: `${rbac}/v1`,
    kind: `${kind}Binding`,
    metadata,
    roleRef: { apiGroup: rbac, kind, name },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  };
  return [role, binding];
}
