import type { PolicyRule } from './roles.ts';

/** Whether a rule allows everything that `single` allows, which has one group, resource, name and verb. */
export function ruleCovers(rule: PolicyRule, single: PolicyRule): boolean {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const holds = (list: readonly string[], wanted: readonly string[] = []) =>
    list.includes('*') || wanted.every((each) => list.includes(each));
  if (!holds(verbs, single.verbs)) return false;
  if (single.nonResourceURLs !== undefined)
    return single.nonResourceURLs.every((url) =>
      nonResourceURLs.some(
        (each) => each === url || (each.endsWith('*') && url.startsWith(each.slice(0, -1))),
      ),
    );
  const ofSubresource = (single.resources ?? []).every((each) => {
    const slash = each.indexOf('/');
    return (
      resources.includes(each) ||
      resources.includes('*') ||
      (slash > 0 && resources.includes(`*${each.slice(slash)}`))
    );
  });
  const ofName =
    resourceNames.length === 0 ||
    single.resourceNames?.every((each) => resourceNames.includes(each)) === true;
  return holds(apiGroups, single.apiGroups) && ofSubresource && ofName;
}
