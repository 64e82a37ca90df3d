import type { Registry } from '@trimtab/kube/metrics/metrics.ts';

export interface PassMetrics {
  /** There was no answer of the API server, or only a part of one. */
  failed(code: string): void;
  /** The answer is called when the stream is over. */
  streamOpened(kind: 'response' | 'upgrade'): () => void;
}

export function passMetrics(registry: Registry | undefined): PassMetrics {
  const errors = registry?.counter({
    name: 'trimtab_gateway_upstream_errors_total',
    help: 'Requests to which the API server gave no complete answer.',
    labels: ['code'],
  });
  const streams = registry?.gauge({
    name: 'trimtab_gateway_open_streams',
    help: 'Watches, followed logs and upgraded connections (exec, port-forward) that pass through now.',
    labels: ['kind'],
  });
  return {
    failed: (code) => errors?.inc({ code }),
    streamOpened(kind) {
      streams?.inc({ kind });
      return () => streams?.dec({ kind });
    },
  };
}
