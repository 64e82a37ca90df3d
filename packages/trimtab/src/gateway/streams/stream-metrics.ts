import type { Registry } from '@trimtab/kube/metrics/metrics.ts';

export function streamMetrics(registry: Registry, open: () => number): void {
  registry.gauge({
    name: 'trimtab_gateway_streams',
    help: 'Open watches of current versions.',
    collect: (set) => set({}, open()),
  });
}
