import { allMetrics, type Metric } from './all-metrics.ts';

/** The page with all metrics. */
export function metricsReference(): string {
  const sections = Object.entries(allMetrics()).map(([program, metrics]) => section(program, metrics));
  return `# Metrics

Generated from the code by \`npm run generate\`. The controller, the gateway and the agent serve their metrics at \`/metrics\` of the health
port, in the Prometheus text format. [Monitoring](../guides/monitoring.md) shows how to scrape them.

The names, types and labels of these metrics are stable: a release adds metrics, labels and label values, and it renames or removes
one only after a release whose notes announce it. Dashboards and alerts should ignore label values that they do not know. Buckets may
change. Only metrics of the agent, which has one pod as its scope, have labels with names of objects.

An activation is counted by the controller that writes its end into the status. That write succeeds for one controller only,
so no activation is counted twice, also when the leader changes during an activation. Configs that are released together are
counted once. An activation is not counted when its end was written but the response was lost. Durations come from the status
and are exact to the second. Gauges of rollouts and versions come from the cache of each replica, so replicas report the same
numbers: aggregate them with \`max\`.

${sections.join('\n\n')}
`;
}

function section(program: string, metrics: readonly Metric[]): string {
  const rows = metrics.map(({ name, type, help, labels }) => {
    const named = labels.map((label) => `\`${label}\``).join(', ');
    return `| \`${name}\` | ${type} | ${named} | ${help} |`;
  });
  return `## ${titles[program]}

| metric | type | labels | description |
|---|---|---|---|
${rows.join('\n')}`;
}

const titles: Record<string, string> = {
  controller: 'Controller',
  gateway: 'Gateway',
  agent: 'Agent',
  'every program': 'Every program',
};
