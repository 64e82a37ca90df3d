import type { Registry } from '../metrics/metrics.ts';

export function leaderMetrics(registry: Registry) {
  return registry.gauge({
    name: 'trimtab_leader',
    help: 'Whether this process leads (1) or stands by (0), by Lease.',
    labels: ['lease'],
  });
}
