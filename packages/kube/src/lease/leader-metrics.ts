import type { Registry } from '../metrics/metrics.ts';

export function leaderMetrics(registry: Registry) {
  return registry.gauge({
    name: 'trimtab_leader',
    help: '1 while this process is the leader, 0 while it is on standby, by Lease.',
    labels: ['lease'],
  });
}
