import type { Node } from '../../objects/node.ts';
import type { PodSpec } from '../../objects/pod.ts';

interface Requirement {
  key: string;
  operator: string;
  values?: string[];
}

interface Term {
  matchExpressions?: Requirement[];
  matchFields?: Requirement[];
}

function requiredTerms({ affinity }: PodSpec): Term[] | undefined {
  const { nodeAffinity } = (affinity ?? {}) as {
    nodeAffinity?: { requiredDuringSchedulingIgnoredDuringExecution?: { nodeSelectorTerms?: Term[] } };
  };
  const required = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined ? undefined : (required.nodeSelectorTerms ?? []);
}

/** Whether a node matches the pod's whole nodeSelector and at least one term of its required node affinity. */
export function wantsNode(spec: PodSpec, { metadata }: Node): boolean {
  const { labels = {}, name = '' } = metadata;
  const selected = Object.entries(spec.nodeSelector ?? {}).every(([key, value]) => labels[key] === value);
  if (!selected) return false;
  const terms = requiredTerms(spec);
  return terms === undefined || terms.some((term) => termMatches(term, labels, { 'metadata.name': name }));
}

type Values = Readonly<Record<string, string>>;

function termMatches(
  { matchExpressions = [], matchFields = [] }: Term,
  labels: Values,
  fields: Values,
): boolean {
  // An empty term matches no node.
  if (matchExpressions.length + matchFields.length === 0) return false;
  return (
    matchExpressions.every((each) => requirementMatches(each, labels)) &&
    matchFields.every((each) => requirementMatches(each, fields))
  );
}

function requirementMatches({ key, operator, values = [] }: Requirement, found: Values): boolean {
  const value = found[key];
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
    case 'Lt':
      return compares(value, operator, values[0]);
    default:
      return false;
  }
}

function compares(value: string | undefined, operator: 'Gt' | 'Lt', bound: string | undefined): boolean {
  const isNumber = (text: string | undefined) => text !== undefined && /^[+-]?\d+$/.test(text);
  if (!isNumber(value) || !isNumber(bound)) return false;
  return operator === 'Gt' ? Number(value) > Number(bound) : Number(value) < Number(bound);
}

/** The node names that a pod requires, when every term of its affinity names nodes. Other nodes are not evaluated. */
export function namedNodes(spec: PodSpec): ReadonlySet<string> | undefined {
  const terms = requiredTerms(spec);
  if (terms === undefined || terms.length === 0) return undefined;
  const names = new Set<string>();
  for (const { matchFields = [] } of terms) {
    const lists = matchFields
      .filter(({ key, operator }) => key === 'metadata.name' && operator === 'In')
      .map(({ values = [] }) => new Set(values));
    const [first, ...others] = lists;
    if (first === undefined) return undefined;
    for (const name of first) if (others.every((each) => each.has(name))) names.add(name);
  }
  return names;
}
