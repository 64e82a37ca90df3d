import type { KubeObject } from '@trimtab/kube/wire.ts';
import { type LabelSelector, labelsMatch } from '../selector/object-selector.ts';

export interface PolicyRule {
  verbs?: string[];
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
}

export interface Role extends KubeObject {
  rules?: PolicyRule[] | null;
}

export interface ClusterRole extends Role {
  /** The rules are those of the selected roles. */
  aggregationRule?: { clusterRoleSelectors?: LabelSelector[] };
}

export interface Subject {
  kind: string;
  name: string;
  namespace?: string;
}

export interface RoleBinding extends KubeObject {
  subjects?: Subject[];
  roleRef: { kind: string; name: string };
}

/** The current roles and bindings of a cluster. */
export interface RoleSource {
  clusterRoleBindings(): Iterable<RoleBinding>;
  roleBindings(namespace: string): Iterable<RoleBinding>;
  clusterRole(name: string): ClusterRole | undefined;
  clusterRoles(): Iterable<ClusterRole>;
  role(namespace: string, name: string): Role | undefined;
}

/** Returns the rules of a cluster role; for an aggregated role, those of all roles that it selects. */
export function clusterRoleRules(source: RoleSource, name: string): PolicyRule[] {
  const role = source.clusterRole(name);
  const selectors = role?.aggregationRule?.clusterRoleSelectors;
  if (role === undefined || selectors === undefined) return role?.rules ?? [];
  const rules: PolicyRule[] = [];
  for (const other of source.clusterRoles()) {
    // In Kubernetes a controller copies the rules into an aggregated role; here they are resolved recursively.
    if (other.metadata.name === name) continue;
    if (selectors.some((selector) => labelsMatch(selector, other.metadata.labels ?? {})))
      rules.push(
        ...(other.aggregationRule === undefined
          ? (other.rules ?? [])
          : clusterRoleRules(source, other.metadata.name ?? '')),
      );
  }
  return rules;
}
