import type { KubeObject } from '@trimtab/kube/wire.ts';

interface PolicyRule {
  apiGroups: string[];
  resources: string[];
  verbs: string[];
  resourceNames?: string[];
}

export interface Role extends KubeObject {
  rules: PolicyRule[];
}

type Subject =
  | { kind: 'ServiceAccount'; name: string; namespace?: string }
  | { kind: 'User' | 'Group'; name: string; apiGroup: 'rbac.authorization.k8s.io' };

export interface RoleBinding extends KubeObject {
  subjects: Subject[];
  roleRef: { apiGroup: 'rbac.authorization.k8s.io'; kind: 'Role' | 'ClusterRole'; name: string };
}

export function serviceAccount(name: string): KubeObject {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } };
}

/** A Role that allows these verbs on these resources (`configmaps`, `deployments.apps`). */
export function role(name: string, verbs: string[], ...resources: string[]): Role {
  const rules = resources.map((resource): PolicyRule => {
    const [plural = '', ...group] = resource.split('.');
    return { apiGroups: [group.join('.')], resources: [plural], verbs };
  });
  return { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name }, rules };
}

/** A RoleBinding that grants the Role of the same name: `roleBinding('editor', { user: 'anna' })`. */
export function roleBinding(
  name: string,
  who: { user: string } | { group: string } | { serviceAccount: string },
): RoleBinding {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name },
    subjects: [subjectOf(who)],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
  };
}

/** A RoleBinding that grants a ClusterRole, such as `edit` or `view`, in one namespace. */
export function clusterRoleFor(
  clusterRole: string,
  name: string,
  who: Parameters<typeof roleBinding>[1],
): RoleBinding {
  const binding = roleBinding(name, who);
  return { ...binding, roleRef: { ...binding.roleRef, kind: 'ClusterRole', name: clusterRole } };
}

function subjectOf(who: { user: string } | { group: string } | { serviceAccount: string }): Subject {
  if ('serviceAccount' in who) return { kind: 'ServiceAccount', name: who.serviceAccount };
  if ('group' in who) return { kind: 'Group', name: who.group, apiGroup: 'rbac.authorization.k8s.io' };
  return { kind: 'User', name: who.user, apiGroup: 'rbac.authorization.k8s.io' };
}
