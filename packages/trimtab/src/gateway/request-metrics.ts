import type { Registry } from '@trimtab/kube/metrics/metrics.ts';

export interface GatewayMetrics {
  /** `tookMs` is undefined for streams, whose duration is not measured. */
  answered(route: string, method: string, code: number, tookMs: number | undefined): void;
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

export function gatewayMetrics(registry: Registry | undefined): GatewayMetrics {
  const total = registry?.counter({
    name: 'trimtab_gateway_requests_total',
    help: 'Requests, by the route that served them; code 499 when the client disconnected before the response.',
    labels: ['route', 'method', 'code'],
  });
  const duration = registry?.histogram({
    name: 'trimtab_gateway_request_duration_seconds',
    help: 'Time from the request to the end of the response; streams are not measured.',
    labels: ['route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
  });
  return {
    answered(route, method, code, tookMs) {
      // Clients choose the method freely, and each new value would add a series that is never removed.
      total?.inc({ route, method: methods.includes(method) ? method : 'other', code });
      if (tookMs !== undefined) duration?.observe({ route }, tookMs / 1000);
    },
  };
}
