import type { Registry } from '@trimtab/kube/metrics/metrics.ts';

export function reconcileMetrics(registry: Registry) {
  return {
    total: registry.counter({
      name: 'trimtab_reconcile_total',
      help: 'Looks at a key, by reconciler.',
      labels: ['reconciler'],
    }),
    errors: registry.counter({
      name: 'trimtab_reconcile_errors_total',
      help: 'Looks that failed and are repeated.',
      labels: ['reconciler'],
    }),
    seconds: registry.histogram({
      name: 'trimtab_reconcile_duration_seconds',
      help: 'How long one look takes.',
      labels: ['reconciler'],
      buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    }),
  };
}
