import type { Registry } from '@trimtab/kube/metrics/metrics.ts';
import { activationResults, type FinishedActivation } from '../../core/status/finished-activation.ts';

/** Returns a function that counts a finished activation. The controller that writes the result calls it once. */
export function activationMetrics(registry: Registry): (finished: FinishedActivation) => void {
  const total = registry.counter({
    name: 'trimtab_activations_total',
    help: 'Finished activations, by result: current, rolled_back, aborted, or superseded by a newer activation.',
    labels: ['result'],
  });
  const duration = registry.histogram({
    name: 'trimtab_activation_duration_seconds',
    help: 'Duration of finished activations including the bake time, in whole seconds, by result.',
    labels: ['result'],
    buckets: [1, 5, 15, 30, 60, 120, 300, 600, 1_800, 3_600],
  });
  // A series that first appears with the value 1 has no increase for Prometheus.
  for (const result of activationResults) {
    total.inc({ result }, 0);
    duration.zero({ result });
  }
  return ({ result, seconds }) => {
    total.inc({ result });
    duration.observe({ result }, seconds);
  };
}
