import type { Registry } from '../metrics/metrics.ts';
import type { RequestShape } from './request-shape.ts';

export interface RequestMetrics {
  /** `code` is the HTTP status, or the code of a network failure. `tookMs` of a watch ends when the watch is open. */
  answered(request: RequestShape, code: string, tookMs: number): void;
}

export function requestMetrics(registry: Registry): RequestMetrics {
  const total = registry.counter({
    name: 'trimtab_kube_requests_total',
    help: 'Requests to the Kubernetes API server; each retry counts as a request.',
    labels: ['verb', 'resource', 'code'],
  });
  const duration = registry.histogram({
    name: 'trimtab_kube_request_duration_seconds',
    help: 'Duration of requests to the Kubernetes API server, until the response is complete.',
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
