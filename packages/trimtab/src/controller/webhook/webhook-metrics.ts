import type { Registry } from '@trimtab/kube/metrics/metrics.ts';

export function webhookMetrics(registry: Registry) {
  return registry.counter({
    name: 'trimtab_webhook_reviews_total',
    help: 'Admission reviews of workloads and ConfigRollouts, by result.',
    labels: ['result'],
  });
}
