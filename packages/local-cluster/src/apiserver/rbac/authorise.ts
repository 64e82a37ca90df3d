import { type Attributes, isPath, type UserInfo } from './attributes.ts';
import {
  clusterRoleRules,
  type PolicyRule,
  type RoleBinding,
  type RoleSource,
  type Subject,
} from './roles.ts';
import { ruleAllows } from './rule-match.ts';

export interface Verdict {
  allowed: boolean;
  /** Kubernetes' message: the binding that allows the request, or the missing roles when it is denied. */
  reason: string;
}

/** Members of this group have all permissions, independent of roles, so they can repair broken roles. */
const superusers = 'system:masters';

/** Decides whether a request is allowed. Requests that no role allows are denied. */
export function authorise(source: RoleSource, attributes: Attributes): Verdict {
  if (attributes.user.groups.includes(superusers)) return { allowed: true, reason: '' };
  const missing: string[] = [];
  for (const { binding, rules, where } of bindingsFor(source, attributes)) {
    const subject = subjectFor(binding, where, attributes.user);
    if (subject === undefined) continue;
    if (rules().some((rule) => ruleAllows(rule, attributes)))
      return { allowed: true, reason: explanation(binding, where, subject) };
    if (!hasRole(source, binding, where)) missing.push(notThere(binding));
  }
  const told = missing.length > 1 ? `[${missing.join(', ')}]` : missing[0];
  return { allowed: false, reason: told === undefined ? '' : `RBAC: ${told}` };
}

/** Returns all rules of a user in a namespace, for `kubectl auth can-i --list`. */
export function rulesFor(source: RoleSource, user: UserInfo, namespace: string): PolicyRule[] {
  const everywhere = { user, verb: '', group: '', resource: '', subresource: '', namespace, name: '' };
  const all: PolicyRule[] = [];
  for (const { binding, rules, where } of bindingsFor(source, everywhere))
    if (subjectFor(binding, where, user) !== undefined) all.push(...rules());
  return all;
}

function hasRole(source: RoleSource, { roleRef }: RoleBinding, where: string): boolean {
  const { kind, name } = roleRef;
  return (kind === 'ClusterRole' ? source.clusterRole(name) : source.role(where, name)) !== undefined;
}

function notThere({ roleRef: { kind, name } }: RoleBinding): string {
  return `${kind.toLowerCase()}.rbac.authorization.k8s.io ${JSON.stringify(name)} not found`;
}

interface Applied {
  binding: RoleBinding;
  /** The namespace of a RoleBinding; empty for a ClusterRoleBinding. */
  where: string;
  rules(): PolicyRule[];
}

function* bindingsFor(source: RoleSource, attributes: Attributes): Generator<Applied> {
  for (const binding of source.clusterRoleBindings())
    yield { binding, where: '', rules: () => clusterRoleRules(source, binding.roleRef.name) };
  const namespace = isPath(attributes) ? '' : attributes.namespace;
  if (namespace === '') return;
  for (const binding of source.roleBindings(namespace)) {
    const { kind, name } = binding.roleRef;
    const rules = () =>
      kind === 'ClusterRole' ? clusterRoleRules(source, name) : (source.role(namespace, name)?.rules ?? []);
    yield { binding, where: namespace, rules };
  }
}

function subjectFor({ subjects = [] }: RoleBinding, where: string, user: UserInfo): Subject | undefined {
  return subjects.find(({ kind, name, namespace }) => {
    if (kind === 'User') return name === user.username;
    if (kind === 'Group') return user.groups.includes(name);
    // The namespace of a service account defaults to that of the RoleBinding.
    const home = namespace ?? where;
    return (
      kind === 'ServiceAccount' && home !== '' && user.username === `system:serviceaccount:${home}:${name}`
    );
  });
}

function explanation({ metadata, roleRef }: RoleBinding, where: string, subject: Subject): string {
  const kind = where === '' ? 'ClusterRoleBinding' : 'RoleBinding';
  const name = where === '' ? metadata.name : `${metadata.name}/${where}`;
  const home = subject.namespace ?? where;
  const whom = subject.kind === 'ServiceAccount' ? `${subject.name}/${home}` : subject.name;
  return `RBAC: allowed by ${kind} "${name}" of ${roleRef.kind} "${roleRef.name}" to ${subject.kind} "${whom}"`;
}
