import { eventMetrics } from '@trimtab/kube/events/event-metrics.ts';
import { leaderMetrics } from '@trimtab/kube/lease/leader-metrics.ts';
import { createRegistry } from '@trimtab/kube/metrics/metrics.ts';
import { registerProcessMetrics } from '@trimtab/kube/metrics/process-metrics.ts';
import { queueMetrics } from '@trimtab/kube/queue/queue-metrics.ts';
import { requestMetrics } from '@trimtab/kube/transport/request-metrics.ts';
import { watchMetrics } from '@trimtab/kube/watch/watch-metrics.ts';
import { endpointMetrics } from 'trimtab/agent/endpoint/endpoint-metrics.ts';
import { agentMetrics } from 'trimtab/agent/health/agent-metrics.ts';
import { activationMetrics } from 'trimtab/controller/activation/activation-metrics.ts';
import { reconcileMetrics } from 'trimtab/controller/reconcile-metrics.ts';
import { versionMetrics } from 'trimtab/controller/retention/version-metrics.ts';
import { webhookMetrics } from 'trimtab/controller/webhook/webhook-metrics.ts';
import { reviewMetrics } from 'trimtab/gateway/identity/review-metrics.ts';
import { BodyBudget } from 'trimtab/gateway/limits/body-budget.ts';
import { CallerSlots } from 'trimtab/gateway/limits/caller-slots.ts';
import { ConcurrencyLimit } from 'trimtab/gateway/limits/concurrency-limit.ts';
import { limitMetrics } from 'trimtab/gateway/limits/limit-metrics.ts';
import { ReviewSlots } from 'trimtab/gateway/limits/review-slots.ts';
import { Turns } from 'trimtab/gateway/limits/turns.ts';
import { UnsentBudget } from 'trimtab/gateway/limits/unsent-budget.ts';
import { passMetrics } from 'trimtab/gateway/proxy/pass-metrics.ts';
import { gatewayMetrics } from 'trimtab/gateway/request-metrics.ts';
import { streamMetrics } from 'trimtab/gateway/streams/stream-metrics.ts';

/** Registers all metrics of the programs and lists them. No value is collected. */
export function metricsReference(): string {
  const registry = createRegistry();
  const never = () => {
    throw new Error('the reference does not collect values');
  };
  const unlimited = {
    inFlight: new ConcurrencyLimit('requests', 1),
    streams: new ConcurrencyLimit('streams', 1),
    budget: new BodyBudget(),
    slots: new CallerSlots(),
    reviewSlots: new ReviewSlots(),
    turns: new Turns(),
    unsent: new UnsentBudget(),
  };
  activationMetrics(registry);
  versionMetrics(registry, { configs: { ConfigMap: undefined, Secret: undefined } });
  reconcileMetrics(registry);
  queueMetrics(registry, 'any', never);
  webhookMetrics(registry);
  gatewayMetrics(registry);
  passMetrics(registry);
  reviewMetrics(registry);
  limitMetrics(registry, unlimited);
  streamMetrics(registry, never);
  agentMetrics(registry);
  endpointMetrics(registry, never);
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

Generated from the code by \`npm run generate\`. The controller, the gateway and the agent serve their metrics at \`/metrics\` of the health
port, in the Prometheus text format.

An activation is counted by the controller that writes its end into the status. That write succeeds for one controller only,
so no activation is counted twice, also when the leader changes during an activation. Configs that are released together are
counted once. An activation is not counted when its end was written but the response was lost. Durations come from the status
and are exact to the second.

| metric | type | labels | description |
|---|---|---|---|
${rows.join('\n')}
`;
}
