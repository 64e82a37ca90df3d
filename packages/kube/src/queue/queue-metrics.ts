import type { Registry } from '../metrics/metrics.ts';

export interface QueueMetrics {
  /** A key began to be handled, so long after it was added. */
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
    help: 'Keys in the queue: waiting for a worker, due later, or being handled.',
    labels: ['queue', 'state'],
    collect: (set) => {
      for (const [state, count] of Object.entries(read())) set({ queue, state }, count);
    },
  });
  const waited = registry.histogram({
    name: 'trimtab_queue_wait_seconds',
    help: 'From the moment a key was ready to be handled to the start of its handler.',
    labels,
    buckets: seconds,
  });
  const took = registry.histogram({
    name: 'trimtab_queue_work_seconds',
    help: 'How long handlers took.',
    labels,
    buckets: seconds,
  });
  const retries = registry.counter({
    name: 'trimtab_queue_retries_total',
    help: 'How often a handler failed, so that its key comes back.',
    labels,
  });
  return {
    started: (ms) => waited.observe({ queue }, ms / 1000),
    finished: (ms) => took.observe({ queue }, ms / 1000),
    retried: () => retries.inc({ queue }),
  };
}
