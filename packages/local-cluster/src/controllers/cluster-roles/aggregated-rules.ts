import { equal } from '../../apiserver/object.ts';
import type { ClusterRole, PolicyRule } from '../../apiserver/rbac/roles.ts';
import { labelsMatch } from '../../apiserver/selector/object-selector.ts';

/** The rules of all ClusterRoles that an aggregated role selects, ordered by selector and name, without duplicates. */
export function aggregatedRules(role: ClusterRole, all: readonly ClusterRole[]): PolicyRule[] {
  const others = all
    .filter(({ metadata }) => metadata.name !== role.metadata.name)
    .sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
  const rules: PolicyRule[] = [];
  for (const selector of role.aggregationRule?.clusterRoleSelectors ?? [])
    for (const other of others)
      if (labelsMatch(selector, other.metadata.labels ?? {}))
        for (const rule of other.rules ?? []) if (!rules.some((each) => equal(each, rule))) rules.push(rule);
  return rules;
}
