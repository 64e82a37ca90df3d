import { namespaceNameLabel } from '../manifests/installation.ts';

export interface NamespaceSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

/**
 * Whether a selector of an admission rule selects a namespace, as far as the name of the namespace tells: the controller
 * does not read namespaces. A selector that requires another label does not count as selecting it.
 */
export function selectsNamespace(selector: NamespaceSelector | undefined, namespace: string): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  const required = Object.entries(matchLabels).map(([key, value]) => ({
    key,
    operator: 'In',
    values: [value],
  }));
  return [...required, ...matchExpressions].every(({ key, operator, values = [] }) => {
    if (key !== namespaceNameLabel) return false;
    if (operator === 'Exists') return true;
    if (operator === 'In') return values.includes(namespace);
    return operator === 'NotIn' && !values.includes(namespace);
  });
}
