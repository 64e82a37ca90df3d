import { activationMetrics } from '../../src/controller/activation/activation-metrics.ts';
import { reconcileMetrics } from '../../src/controller/reconcile-metrics.ts';
import { versionMetrics } from '../../src/controller/retention/version-metrics.ts';
import { webhookMetrics } from '../../src/controller/webhook/webhook-metrics.ts';
import { passMetrics } from '../../src/gateway/proxy/pass-metrics.ts';
import { gatewayMetrics } from '../../src/gateway/request-metrics.ts';
import { streamMetrics } from '../../src/gateway/streams/stream-metrics.ts';
import { eventMetrics } from '../../src/kube/events/event-metrics.ts';
import { leaderMetrics } from '../../src/kube/lease/leader-metrics.ts';
import { queueMetrics } from '../../src/kube/queue/queue-metrics.ts';
import { requestMetrics } from '../../src/kube/transport/request-metrics.ts';
import { watchMetrics } from '../../src/kube/watch/watch-metrics.ts';
import { createRegistry } from '../../src/platform/metrics.ts';
import { registerProcessMetrics } from '../../src/platform/process-metrics.ts';

/** Everything that our programs measure, registered as they do; nothing is ever collected here. */
export function metricsReference(): string {
  const registry = createRegistry();
  const never = () => {
    throw new Error('nobody asks for values');
  };
  activationMetrics(registry);
  versionMetrics(registry, { heads: { ConfigMap: undefined, Secret: undefined } });
  reconcileMetrics(registry);
  queueMetrics(registry, 'any', never);
  webhookMetrics(registry);
  gatewayMetrics(registry);
  passMetrics(registry);
  streamMetrics(registry, never);
  leaderMetrics(registry);
  eventMetrics(registry);
  requestMetrics(registry);
  watchMetrics(registry, 'any', never);
  registerProcessMetrics(registry);
  const rows = registry.describe().map(({ name, type, help, labels }) => {
    const named = labels.map((label) => `\`${label}\``).join(', ');
    return `| \`${name}\` | ${type} | ${named} | ${help} |`;
  });
  return `# Metrics

Generated from the code by \`npm run generate\`. Controller and gateway serve theirs at \`/metrics\` of their
health port, in the Prometheus text format.

An activation is counted by the controller that wrote its end into the status, and that write succeeds for one
controller only; of configs that were released together, the first counts for all. So no activation is counted twice,
also when another controller takes the lead in the middle. One whose end was written while the answer got lost is not
counted at all. Durations come from the status and are exact to the second.

| metric | type | labels | what it tells |
|---|---|---|---|
${rows.join('\n')}
`;
}
