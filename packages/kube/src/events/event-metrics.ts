import type { Registry } from '../metrics/metrics.ts';

export function eventMetrics(registry: Registry) {
  return registry.counter({
    name: 'trimtab_events_total',
    help: 'Kubernetes Events recorded by this process, by outcome.',
    labels: ['outcome'],
  });
}
