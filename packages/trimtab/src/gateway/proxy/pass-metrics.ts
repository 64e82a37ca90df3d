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
    help: 'Requests without a complete response of the API server, by error code and by the route that served them.',
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
