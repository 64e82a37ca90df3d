import type { Registry } from '../metrics/metrics.ts';
import type { RequestShape } from './request-shape.ts';

export interface RequestMetrics {
  /** `code` is the HTTP status, or the code of a failure that has none. For a watch: until it was open. */
  answered(request: RequestShape, code: string, tookMs: number): void;
}

export function requestMetrics(registry: Registry): RequestMetrics {
  const total = registry.counter({
    name: 'trimtab_kube_requests_total',
    help: 'Requests to the Kubernetes API, retries counted one by one.',
    labels: ['verb', 'resource', 'code'],
  });
  const duration = registry.histogram({
    name: 'trimtab_kube_request_duration_seconds',
    help: 'Time from asking the Kubernetes API to its complete answer.',
    labels: ['verb', 'resource'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30],
  });
  return {
    answered({ verb, resource }, code, tookMs) {
      total.inc({ verb, resource, code });
      duration.observe({ verb, resource }, tookMs / 1000);
    },
  };
}
