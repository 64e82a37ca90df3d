import type { Registry } from '../metrics/metrics.ts';

export function eventMetrics(registry: Registry) {
  return registry.counter({
    name: 'trimtab_events_total',
    help: 'Kubernetes Events by what became of them.',
    labels: ['outcome'],
  });
}
