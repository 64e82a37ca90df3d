import type { Registry } from '../../platform/metrics.ts';

export function streamMetrics(registry: Registry, open: () => number): void {
  registry.gauge({
    name: 'trimtab_gateway_streams',
    help: 'Open watches of current versions.',
    collect: (set) => set({}, open()),
  });
}
