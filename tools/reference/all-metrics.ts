import { eventMetrics } from '@trimtab/kube/events/event-metrics.ts';
import { leaderMetrics } from '@trimtab/kube/lease/leader-metrics.ts';
import { createRegistry, type Registry } from '@trimtab/kube/metrics/metrics.ts';
import { registerEventLoopLag, registerProcessMetrics } from '@trimtab/kube/metrics/process-metrics.ts';
import { queueMetrics } from '@trimtab/kube/queue/queue-metrics.ts';
import { certificateMetrics } from '@trimtab/kube/tls/certificate-metrics.ts';
import { requestMetrics } from '@trimtab/kube/transport/request-metrics.ts';
import { watchMetrics } from '@trimtab/kube/watch/watch-metrics.ts';
import { endpointMetrics } from 'trimtab/agent/endpoint/endpoint-metrics.ts';
import { agentMetrics } from 'trimtab/agent/health/agent-metrics.ts';
import { activationMetrics } from 'trimtab/controller/activation/activation-metrics.ts';
import { rolloutMetrics } from 'trimtab/controller/activation/rollout-metrics.ts';
import { notificationMetrics } from 'trimtab/controller/notifications/notification-metrics.ts';
import { reconcileMetrics } from 'trimtab/controller/reconcile-metrics.ts';
import { versionMetrics } from 'trimtab/controller/retention/version-metrics.ts';
import { webhookMetrics } from 'trimtab/controller/webhook/webhook-metrics.ts';
import { acknowledgementMetrics } from 'trimtab/gateway/acknowledgements/acknowledgement-metrics.ts';
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

export type Metric = ReturnType<Registry['describe']>[number];

/** Lists all metrics of the programs. No value is collected. */
export function allMetrics(): Record<'controller' | 'gateway' | 'agent' | 'every program', Metric[]> {
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
  return {
    controller: registered((registry) => {
      activationMetrics(registry);
      rolloutMetrics(registry, { rollouts: { cache: new Map() } });
      versionMetrics(registry, { configs: { ConfigMap: undefined, Secret: undefined } });
      reconcileMetrics(registry);
      queueMetrics(registry, 'any', never);
      webhookMetrics(registry);
      leaderMetrics(registry);
      eventMetrics(registry);
      certificateMetrics(registry, 'webhook', undefined);
      notificationMetrics(registry, never);
    }),
    gateway: registered((registry) => {
      gatewayMetrics(registry);
      passMetrics(registry);
      reviewMetrics(registry);
      limitMetrics(registry, unlimited);
      streamMetrics(registry, never);
      acknowledgementMetrics(registry);
      certificateMetrics(registry, 'gateway', undefined);
      registerEventLoopLag(registry)();
    }),
    agent: registered((registry) => {
      agentMetrics(registry);
      endpointMetrics(registry, never);
    }),
    'every program': registered((registry) => {
      requestMetrics(registry);
      watchMetrics(registry, 'any', never);
      registerProcessMetrics(registry);
    }),
  };
}

function registered(register: (registry: Registry) => void): Metric[] {
  const registry = createRegistry();
  register(registry);
  return registry.describe();
}
