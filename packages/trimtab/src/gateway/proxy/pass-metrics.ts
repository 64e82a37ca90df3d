import type { Registry } from '@trimtab/kube/metrics/metrics.ts';

export interface PassMetrics {
  /** The API server sent no response, or only a part of it. */
  failed(code: string, route?: string): void;
  /** Returns the function to call when the stream is closed. */
  streamOpened(kind: 'response' | 'upgrade'): () => void;
}

export function passMetrics(registry: Registry | undefined): PassMetrics {
  const errors = registry?.counter({
    name: 'trimtab_gateway_upstream_errors_total',
    help: 'API calls without a complete response, and calls of the own routes with a 5xx response, by error or status code and by the route that made them.',
    labels: ['code', 'route'],
  });
  const streams = registry?.gauge({
    name: 'trimtab_gateway_open_streams',
    help: 'Open watches, followed logs and upgraded connections (exec, port-forward) that are proxied.',
    labels: ['kind'],
  });
  return {
    failed: (code, route = 'pass-through') => errors?.inc({ code, route }),
    streamOpened(kind) {
      streams?.inc({ kind });
      return () => streams?.dec({ kind });
    },
  };
}
