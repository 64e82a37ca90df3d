/** A label selector in an object. Selectors in queries are strings; see label-selector.ts. */
export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

/** An empty selector matches everything. */
export function labelsMatch(
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  labels: Readonly<Record<string, string>>,
): boolean {
  // Inherited properties are ignored, as a label may be named `constructor`.
  const ownValue = (key: string) => (Object.hasOwn(labels, key) ? labels[key] : undefined);
  return (
    Object.entries(matchLabels).every(([key, value]) => ownValue(key) === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = ownValue(key);
      switch (operator) {
        case 'Exists':
          return value !== undefined;
        case 'DoesNotExist':
          return value === undefined;
        case 'In':
          return value !== undefined && values.includes(value);
        default:
          return value === undefined || !values.includes(value);
      }
    })
  );
}
