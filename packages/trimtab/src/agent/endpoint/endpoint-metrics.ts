import type { Registry } from '@trimtab/kube/metrics/metrics.ts';

/** Metrics of the in-pod endpoint. */
export interface EndpointMetrics {
  answered(status: number): void;
}

export interface EndpointNumbers {
  connections: number;
  waiting: number;
  hooks: number;
}

export function endpointMetrics(registry: Registry, numbers: () => EndpointNumbers): EndpointMetrics {
  const requests = registry.counter({
    name: 'trimtab_agent_endpoint_requests_total',
    help: 'Requests to the in-pod endpoint, by status code.',
    labels: ['code'],
  });
  registry.gauge({
    name: 'trimtab_agent_endpoint_connections',
    help: 'Open connections to the in-pod endpoint.',
    collect: (set) => set({}, numbers().connections),
  });
  registry.gauge({
    name: 'trimtab_agent_endpoint_long_polls',
    help: 'Requests to the in-pod endpoint that wait for a change.',
    collect: (set) => set({}, numbers().waiting),
  });
  registry.gauge({
    name: 'trimtab_agent_endpoint_hooks',
    help: 'Hooks that the containers of the pod have subscribed.',
    collect: (set) => set({}, numbers().hooks),
  });
  return { answered: (code) => requests.inc({ code }) };
}
