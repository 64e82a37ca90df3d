/** A panel of the dashboard. Expressions use the variables `$namespace` and `$__rate_interval` of Grafana. */
export interface Panel {
  title: string;
  description: string;
  type: 'timeseries' | 'stat';
  /** A unit of Grafana. */
  unit: 'short' | 's' | 'bytes' | 'reqps' | 'percentunit' | 'dateTimeFromNow';
  queries: readonly { expr: string; legend: string }[];
  /** Has data only after something unusual, such as a failed request. */
  mayBeEmpty?: true;
}

interface Row {
  title: string;
  panels: readonly Panel[];
}

/** Restricts a metric to the chosen namespaces of Trimtab. Prometheus adds the label when it scrapes a pod. */
const of = (metric: string, matchers = '') =>
  `${metric}{namespace=~"$namespace"${matchers && `, ${matchers}`}}`;

/**
 * The sum over installations of a gauge of cluster state. The replicas of an installation all report it, so it counts once
 * for them.
 */
function ofCluster(metric: string, ...by: string[]): string {
  const each = `max by (${['namespace', 'job', ...by].join(', ')}) (${of(metric)})`;
  return by.length === 0 ? `sum(${each})` : `sum by (${by.join(', ')}) (${each})`;
}

const rate = (metric: string, by: string, matchers?: string) =>
  `sum by (${by}) (rate(${of(metric, matchers)}[$__rate_interval]))`;

function quantile(histogram: string, by: string, { matchers = '', range = '$__rate_interval' } = {}): string {
  const buckets = `rate(${of(`${histogram}_bucket`, matchers)}[${range}])`;
  return `histogram_quantile(0.99, sum by (le${by && `, ${by}`}) (${buckets}))`;
}

const single = (expr: string, legend: string) => [{ expr, legend }];

const rollouts: readonly Panel[] = [
  {
    title: 'Finished activations',
    description: 'Activations that became current, were rolled back, aborted or superseded.',
    type: 'timeseries',
    unit: 'short',
    queries: single(
      `sum by (result) (increase(${of('trimtab_activations_total')}[$__rate_interval]))`,
      '{{result}}',
    ),
  },
  {
    title: 'Time to current',
    description:
      'Time from the start of an activation until its version is current, including the bake time. 99 % and 50 % of the activations of the last hour were faster.',
    type: 'timeseries',
    unit: 's',
    queries: (['0.99', '0.5'] as const).map((part) => ({
      expr: `histogram_quantile(${part}, sum by (le) (rate(${of('trimtab_activation_duration_seconds_bucket', 'result="current"')}[1h])))`,
      legend: `${Number(part) * 100} %`,
    })),
  },
  {
    title: 'Activations in progress',
    description: 'Activations that have started and not ended.',
    type: 'stat',
    unit: 'short',
    queries: single(ofCluster('trimtab_activations_in_progress'), 'in progress'),
  },
  {
    title: 'Rollouts by phase',
    description: 'ConfigRollouts by phase. Failed, RollbackFailed and Parked need a person.',
    type: 'timeseries',
    unit: 'short',
    queries: single(ofCluster('trimtab_rollouts', 'phase'), '{{phase}}'),
  },
  {
    title: 'Waits by reason',
    description:
      'ConfigRollouts that are not Ready, by the reason. docs/reference/reasons.md explains each reason.',
    type: 'timeseries',
    unit: 'short',
    queries: single(ofCluster('trimtab_rollouts_not_ready', 'reason'), '{{reason}}'),
    mayBeEmpty: true,
  },
  {
    title: 'Waits for a person by reason',
    description: 'ConfigRollouts that are Stalled: they do not go on until a person acts.',
    type: 'timeseries',
    unit: 'short',
    queries: single(ofCluster('trimtab_rollouts_stalled', 'reason'), '{{reason}}'),
    mayBeEmpty: true,
  },
  {
    title: 'Versions',
    description: 'Versions in the cluster, by kind and state.',
    type: 'timeseries',
    unit: 'short',
    queries: single(ofCluster('trimtab_versions', 'kind', 'state'), '{{kind}} {{state}}'),
  },
];

const gateway: readonly Panel[] = [
  {
    title: 'Streams',
    description: 'Open watches of current versions, and proxied watches, logs and upgraded connections.',
    type: 'timeseries',
    unit: 'short',
    queries: [
      { expr: `sum(${of('trimtab_gateway_streams')})`, legend: 'current versions' },
      { expr: `sum by (kind) (${of('trimtab_gateway_open_streams')})`, legend: 'proxied {{kind}}' },
    ],
  },
  {
    title: 'Acknowledgements',
    description:
      'Reports of agents that pods took a version or refused it. 202: the agent repeats the report.',
    type: 'timeseries',
    unit: 'reqps',
    queries: single(rate('trimtab_gateway_acknowledgements_total', 'result, code'), '{{result}} {{code}}'),
    mayBeEmpty: true,
  },
  {
    title: 'Requests',
    description: 'Requests by route and status code.',
    type: 'timeseries',
    unit: 'reqps',
    queries: single(rate('trimtab_gateway_requests_total', 'route, code'), '{{route}} {{code}}'),
  },
  {
    title: 'Request duration (99 %)',
    description: 'Time from a request to the end of the response, by route; streams are not measured.',
    type: 'timeseries',
    unit: 's',
    queries: single(quantile('trimtab_gateway_request_duration_seconds', 'route'), '{{route}}'),
  },
  {
    title: 'Requests in progress and waiting',
    description: 'Requests that wait mean that a limit of the gateway is reached.',
    type: 'timeseries',
    unit: 'short',
    queries: [
      { expr: `sum(${of('trimtab_gateway_requests_in_flight')})`, legend: 'in progress' },
      { expr: `sum(${of('trimtab_gateway_expensive_requests_waiting')})`, legend: 'expensive, waiting' },
      { expr: `sum(${of('trimtab_gateway_token_reviews_waiting')})`, legend: 'TokenReviews, waiting' },
    ],
  },
];

const controller: readonly Panel[] = [
  {
    title: 'Leader',
    description: '1 for the replica that reconciles, 0 for those on standby.',
    type: 'timeseries',
    unit: 'short',
    queries: single(of('trimtab_leader'), '{{namespace}}/{{pod}}{{instance}}'),
  },
  {
    title: 'Queues',
    description: 'Keys that wait for a worker. Keys that are due later are not shown.',
    type: 'timeseries',
    unit: 'short',
    queries: single(
      `sum by (queue, state) (${of('trimtab_queue_keys', 'state=~"waiting|running"')})`,
      '{{queue}} {{state}}',
    ),
  },
  {
    title: 'Time in queue (99 %)',
    description: 'Time that a key waited for a worker.',
    type: 'timeseries',
    unit: 's',
    queries: single(quantile('trimtab_queue_wait_seconds', 'queue'), '{{queue}}'),
  },
  {
    title: 'Duration of reconciliations (99 %)',
    description: 'Duration of one reconciliation.',
    type: 'timeseries',
    unit: 's',
    queries: single(quantile('trimtab_reconcile_duration_seconds', 'reconciler'), '{{reconciler}}'),
  },
  {
    title: 'Failed reconciliations',
    description: 'Reconciliations that failed and are retried.',
    type: 'timeseries',
    unit: 'reqps',
    queries: single(rate('trimtab_reconcile_errors_total', 'reconciler'), '{{reconciler}}'),
    mayBeEmpty: true,
  },
  {
    title: 'Admission reviews',
    description: 'Reviews by the admission webhook, by result.',
    type: 'timeseries',
    unit: 'reqps',
    queries: single(rate('trimtab_webhook_reviews_total', 'result'), '{{result}}'),
    mayBeEmpty: true,
  },
];

const notifications: readonly Panel[] = [
  {
    title: 'Notifications',
    description: 'Attempts to deliver notifications, by target and result. Empty without --notifications.',
    type: 'timeseries',
    unit: 'reqps',
    queries: single(rate('trimtab_notifications_total', 'target, result'), '{{target}} {{result}}'),
    mayBeEmpty: true,
  },
  {
    title: 'Oldest notification that waits',
    description: 'How long the oldest notification has been waiting for its delivery.',
    type: 'timeseries',
    unit: 's',
    queries: single(`max by (target) (${of('trimtab_notifications_oldest_pending_seconds')})`, '{{target}}'),
    mayBeEmpty: true,
  },
];

const apiServer: readonly Panel[] = [
  {
    title: 'API requests',
    description: 'Requests of Trimtab to the API server, by verb and status code.',
    type: 'timeseries',
    unit: 'reqps',
    queries: single(rate('trimtab_kube_requests_total', 'verb, code'), '{{verb}} {{code}}'),
  },
  {
    title: 'API latency (99 %)',
    description: 'Duration of requests to the API server, by verb and resource.',
    type: 'timeseries',
    unit: 's',
    queries: single(
      quantile('trimtab_kube_request_duration_seconds', 'verb, resource', { matchers: 'verb!="watch"' }),
      '{{verb}} {{resource}}',
    ),
  },
  {
    title: 'Silence of watches',
    description:
      'Seconds since the last event or bookmark. API servers send a bookmark every minute, so more than three minutes is a dead watch.',
    type: 'timeseries',
    unit: 's',
    queries: single(
      `max by (job, watch) (${of('trimtab_watch_seconds_since_activity')})`,
      '{{job}} {{watch}}',
    ),
  },
  {
    title: 'Failing watches',
    description: 'For how long the requests of a watch have been failing.',
    type: 'timeseries',
    unit: 's',
    queries: single(`max by (job, watch) (${of('trimtab_watch_failing_seconds')})`, '{{job}} {{watch}}'),
  },
];

const processes: readonly Panel[] = [
  {
    title: 'Memory',
    description: 'Resident memory.',
    type: 'timeseries',
    unit: 'bytes',
    queries: single(of('process_resident_memory_bytes', 'job=~"trimtab.*"'), '{{job}} {{pod}}{{instance}}'),
  },
  {
    title: 'CPU',
    description: 'CPU time; 100 % is one core.',
    type: 'timeseries',
    unit: 'percentunit',
    queries: single(
      `rate(${of('process_cpu_seconds_total', 'job=~"trimtab.*"')}[$__rate_interval])`,
      '{{job}} {{pod}}{{instance}}',
    ),
  },
  {
    title: 'Certificates expire',
    description:
      'When the served certificates expire. Certificates of Trimtab are valid for 30 days and renewed after 20.',
    type: 'stat',
    unit: 'dateTimeFromNow',
    queries: single(
      `min by (certificate) (${of('trimtab_certificate_not_after_timestamp_seconds')}) * 1000`,
      '{{certificate}}',
    ),
  },
];

/** The dashboard, from top to bottom. */
export const rows: readonly Row[] = [
  { title: 'Rollouts', panels: rollouts },
  { title: 'Gateway', panels: gateway },
  { title: 'Controller', panels: controller },
  { title: 'Notifications', panels: notifications },
  { title: 'API server', panels: apiServer },
  { title: 'Processes', panels: processes },
];
