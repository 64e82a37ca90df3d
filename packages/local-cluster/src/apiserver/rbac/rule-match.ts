import { type Attributes, isPath, type ResourceAttributes } from './attributes.ts';
import type { PolicyRule } from './roles.ts';

const any = '*';

/** Whether one rule of a role allows a request. */
export function ruleAllows(rule: PolicyRule, attributes: Attributes): boolean {
  if (!holds(rule.verbs, attributes.verb)) return false;
  if (isPath(attributes))
    return (rule.nonResourceURLs ?? []).some((path) => pathMatches(path, attributes.path));
  return (
    holds(rule.apiGroups, attributes.group) &&
    resourceMatches(rule, attributes) &&
    nameMatches(rule, attributes)
  );
}

function holds(list: readonly string[] | undefined, value: string): boolean {
  return list !== undefined && (list.includes(any) || list.includes(value));
}

/** A star matches all resources and subresources; a star with a subresource matches it for all resources. */
function resourceMatches(
  { resources = [] }: PolicyRule,
  { resource, subresource }: ResourceAttributes,
): boolean {
  const whole = subresource === '' ? resource : `${resource}/${subresource}`;
  return resources.some(
    (each) => each === any || each === whole || (subresource !== '' && each === `${any}/${subresource}`),
  );
}

function nameMatches({ resourceNames = [] }: PolicyRule, { name }: ResourceAttributes): boolean {
  return resourceNames.length === 0 || resourceNames.includes(name);
}

/** A star at the end matches any suffix. */
function pathMatches(pattern: string, path: string): boolean {
  if (pattern === any || pattern === path) return true;
  return pattern.endsWith(any) && path.startsWith(pattern.slice(0, -1));
}
