/** The metrics that an expression of PromQL reads, each with the labels that its matchers name. */
export interface Use {
  metric: string;
  labels: string[];
}

const words = new Set([
  'by',
  'without',
  'on',
  'ignoring',
  'or',
  'and',
  'unless',
  'group_left',
  'group_right',
  'bool',
  'offset',
]);

/** Reads the subset of PromQL that the dashboard and the alerts use. */
export function metricsIn(expr: string): Use[] {
  const withoutLists = expr.replace(/\b(?:by|without|on|ignoring)\s*\([^)]*\)/g, '');
  const used: Use[] = [];
  for (const [, metric = '', matchers = ''] of withoutLists
    .replace(/\[[^\]]*\]/g, '')
    .matchAll(/([a-zA-Z_:][a-zA-Z0-9_:]*)(?!\w*\s*\()(?:\{((?:[^"}]|"[^"]*")*)\})?(?!\w)/g)) {
    if (words.has(metric)) continue;
    used.push({
      metric,
      labels: [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = '']) => label),
    });
  }
  return used;
}

/** The labels by which an expression aggregates. */
export function groupedBy(expr: string): string[] {
  return [...expr.matchAll(/\b(?:by|on)\s*\(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list.split(',').map((label) => label.trim()),
  );
}
