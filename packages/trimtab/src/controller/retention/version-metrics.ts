import type { Registry } from '@trimtab/kube/metrics/metrics.ts';
import { labels } from '../../api/names.ts';
import type { ClusterCache } from '../cache/cluster-cache.ts';
import { isVersion } from '../version/reference-changes.ts';

const states = new Set(['current', 'not-current', 'rejected']);

/** Registers the gauge of versions, which is computed on each scrape. */
export function versionMetrics(registry: Registry, cluster: Pick<ClusterCache, 'configs'>): void {
  registry.gauge({
    name: 'trimtab_versions',
    help: 'Versions in the cluster, by kind and state.',
    labels: ['kind', 'state'],
    collect: (set) => {
      for (const [kind, configs] of Object.entries(cluster.configs))
        for (const [state, count] of countStates(configs?.cache.entries() ?? [])) set({ kind, state }, count);
    },
  });
}

function countStates(configs: Iterable<[string, Parameters<typeof isVersion>[0]]>): Map<string, number> {
  const counts = new Map([...states].map((state) => [state, 0]));
  for (const [, metadata] of configs) {
    if (!isVersion(metadata)) continue;
    const label = metadata.labels[labels.state] ?? '';
    // Users can write this label, so unknown values must not create new time series.
    const state = states.has(label) ? label : 'unknown';
    counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  return counts;
}
