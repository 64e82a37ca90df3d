import type { Registry } from '../metrics/metrics.ts';

export interface QueueMetrics {
  /** Records that the handler of a key starts, `waitedMs` after the key became ready. */
  started(waitedMs: number): void;
  finished(tookMs: number): void;
  retried(): void;
}

const seconds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60];

export function queueMetrics(
  registry: Registry,
  queue: string,
  read: () => { waiting: number; later: number; running: number },
): QueueMetrics {
  const labels = ['queue'] as const;
  registry.gauge({
    name: 'trimtab_queue_keys',
    help: 'Keys in the queue, by state: waiting for a worker, due later, or running.',
    labels: ['queue', 'state'],
    collect: (set) => {
      for (const [state, count] of Object.entries(read())) set({ queue, state }, count);
    },
  });
  const waited = registry.histogram({
    name: 'trimtab_queue_wait_seconds',
    help: 'Time that a ready key waited in the queue before its reconciliation started.',
    labels,
    buckets: seconds,
  });
  const took = registry.histogram({
    name: 'trimtab_queue_work_seconds',
    help: 'Duration of reconciliations.',
    labels,
    buckets: seconds,
  });
  const retries = registry.counter({
    name: 'trimtab_queue_retries_total',
    help: 'Failed reconciliations, which the queue retries.',
    labels,
  });
  return {
    started: (ms) => waited.observe({ queue }, ms / 1000),
    finished: (ms) => took.observe({ queue }, ms / 1000),
    retried: () => retries.inc({ queue }),
  };
}
