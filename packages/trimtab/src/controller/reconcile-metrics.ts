import type { Registry } from '@trimtab/kube/metrics/metrics.ts';

export function reconcileMetrics(registry: Registry) {
  return {
    total: registry.counter({
      name: 'trimtab_reconcile_total',
      help: 'Reconciliations, by reconciler.',
      labels: ['reconciler'],
    }),
    errors: registry.counter({
      name: 'trimtab_reconcile_errors_total',
      help: 'Reconciliations that failed and are retried, by reconciler.',
      labels: ['reconciler'],
    }),
    seconds: registry.histogram({
      name: 'trimtab_reconcile_duration_seconds',
      help: 'Duration of one reconciliation, by reconciler.',
      labels: ['reconciler'],
      buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    }),
  };
}
