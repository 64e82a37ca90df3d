import type { Registry } from '@trimtab/kube/metrics/metrics.ts';
import type { FinishedActivation } from '../../core/status/finished-activation.ts';

/** Counts what it is told of: each activation once, by the controller that wrote its end down. */
export function activationMetrics(registry: Registry): (finished: FinishedActivation) => void {
  const total = registry.counter({
    name: 'trimtab_activations_total',
    help: 'Activations that have ended, by result: current, rolled_back or superseded by a newer one.',
    labels: ['result'],
  });
  const duration = registry.histogram({
    name: 'trimtab_activation_duration_seconds',
    help: 'From the start of an activation to its end, bake included, to the second.',
    labels: ['result'],
    buckets: [1, 5, 15, 30, 60, 120, 300, 600, 1_800, 3_600],
  });
  return ({ result, seconds }) => {
    total.inc({ result });
    duration.observe({ result }, seconds);
  };
}
