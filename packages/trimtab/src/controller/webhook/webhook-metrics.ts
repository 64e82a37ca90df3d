import type { Registry } from '@trimtab/kube/metrics/metrics.ts';

export function webhookMetrics(registry: Registry) {
  return registry.counter({
    name: 'trimtab_webhook_reviews_total',
    help: 'Workloads and ConfigRollouts that were reviewed on their way in.',
    labels: ['result'],
  });
}
