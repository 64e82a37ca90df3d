import type { AdmissionPlugin, UserInfo } from '../admission/admission.ts';
import { forbidden } from '../errors/status-error.ts';
import type { Access } from '../identity/access.ts';
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from '../kinds/policy/rbac.ts';
import { equal } from '../object.ts';
import { clusterRoleRules, type PolicyRule, type Role, type RoleBinding } from './roles.ts';
import { ruleCovers } from './rule-covers.ts';

const group = 'rbac.authorization.k8s.io';

/** Refuses to grant permissions that the caller does not hold, unless the caller may escalate or bind. */
export function noEscalation(access: Access): AdmissionPlugin {
  return {
    name: 'RBAC',
    mutate({ operation, kind, object, old, user, namespace = '', name }) {
      if (object === undefined || operation === 'DELETE' || user.groups.includes('system:masters')) return;
      const may = (verb: string, resource: string, whom: string) =>
        access.authorise({ user, verb, group, resource, subresource: '', namespace, name: whom }).allowed;
      let granted: PolicyRule[];
      if (kind === roles || kind === clusterRoles) {
        granted = (object as unknown as Role).rules ?? [];
        const before = (old as unknown as Role | undefined)?.rules ?? [];
        if (old !== undefined && equal(granted, before)) return;
        if (may('escalate', kind.plural, name)) return;
      } else if (kind === roleBindings || kind === clusterRoleBindings) {
        const { roleRef } = object as unknown as RoleBinding;
        const resource = roleRef.kind === 'Role' ? 'roles' : 'clusterroles';
        if (may('bind', resource, roleRef.name)) return;
        granted =
          roleRef.kind === 'Role'
            ? (access.roles.role(namespace, roleRef.name)?.rules ?? [])
            : clusterRoleRules(access.roles, roleRef.name);
      } else return;
      const missing = uncovered(granted, access.rulesFor(user, namespace));
      if (missing.length > 0) throw forbidden(kind, name, refusal(user, missing));
    },
  };
}

function refusal({ username, groups }: UserInfo, missing: readonly PolicyRule[]): string {
  const of = groups.map((each) => JSON.stringify(each)).join(' ');
  const lines = missing.map(asGo).sort().join('\n');
  return `user ${JSON.stringify(username)} (groups=[${of}]) is attempting to grant RBAC permissions not currently held:\n${lines}`;
}

/** Returns the parts of `rules` that `held` does not cover, grouped by resource. */
function uncovered(rules: readonly PolicyRule[], held: readonly PolicyRule[]): PolicyRule[] {
  const missing = new Map<string, PolicyRule>();
  for (const single of rules.flatMap(singles)) {
    if (held.some((rule) => ruleCovers(rule, single))) continue;
    const { verbs = [], ...rest } = single;
    const key = JSON.stringify(rest);
    const before = missing.get(key)?.verbs ?? [];
    missing.set(key, { ...rest, verbs: [...new Set([...before, ...verbs])] });
  }
  return [...missing.values()];
}

/** Splits a rule into rules with one group, one resource, one name and one verb each. */
function singles(rule: PolicyRule): PolicyRule[] {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const names = resourceNames.length === 0 ? [{}] : resourceNames.map((each) => ({ resourceNames: [each] }));
  const ofResources = apiGroups.flatMap((apiGroup) =>
    resources.flatMap((resource) =>
      names.flatMap((of) =>
        verbs.map((verb) => ({ apiGroups: [apiGroup], resources: [resource], ...of, verbs: [verb] })),
      ),
    ),
  );
  const ofPaths = nonResourceURLs.flatMap((url) =>
    verbs.map((verb) => ({ nonResourceURLs: [url], verbs: [verb] })),
  );
  return [...ofResources, ...ofPaths];
}

function asGo({ apiGroups, resources, resourceNames, nonResourceURLs, verbs }: PolicyRule): string {
  const fields = Object.entries({
    APIGroups: apiGroups,
    Resources: resources,
    ResourceNames: resourceNames,
    NonResourceURLs: nonResourceURLs,
    Verbs: verbs,
  });
  const shown = fields.flatMap(([key, values = []]) =>
    values.length === 0 ? [] : [`${key}:[${values.map((each) => JSON.stringify(each)).join(' ')}]`],
  );
  return `{${shown.join(', ')}}`;
}
