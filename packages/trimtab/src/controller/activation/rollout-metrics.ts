import type { Registry } from '@trimtab/kube/metrics/metrics.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { phases } from '../../api/config-rollout-status.ts';
import { reasonIf } from '../../core/status/waiting-reason.ts';

type WithStatus = Pick<ConfigRollout, 'status'>;

/** Registers the gauges of ConfigRollouts, which are computed from the cache on each scrape. */
export function rolloutMetrics(
  registry: Registry,
  { rollouts }: { rollouts: { cache: { entries(): Iterable<[string, WithStatus]> } } },
): void {
  const all = function* (): Generator<WithStatus> {
    for (const [, rollout] of rollouts.cache.entries()) yield rollout;
  };
  registry.gauge({
    name: 'trimtab_rollouts',
    help: 'ConfigRollouts, by phase of their status; Unknown before the first status.',
    labels: ['phase'],
    collect: (set) => {
      const counts = new Map<string, number>(phases.map((phase) => [phase, 0]));
      for (const { status } of all()) count(counts, status?.phase ?? 'Unknown');
      for (const [phase, value] of counts) set({ phase }, value);
    },
  });
  registry.gauge({
    name: 'trimtab_rollouts_not_ready',
    help: 'ConfigRollouts whose condition Ready is False, by its reason: what they wait for, or what is wrong.',
    labels: ['reason'],
    collect: (set) => {
      for (const [reason, value] of byReason(all(), 'Ready', 'False')) set({ reason }, value);
    },
  });
  registry.gauge({
    name: 'trimtab_rollouts_stalled',
    help: 'ConfigRollouts whose condition Stalled is True, by its reason: they wait until a person acts.',
    labels: ['reason'],
    collect: (set) => {
      for (const [reason, value] of byReason(all(), 'Stalled', 'True')) set({ reason }, value);
    },
  });
  registry.gauge({
    name: 'trimtab_activations_in_progress',
    help: 'Activations that have started and not ended. Configs that are released together are counted once.',
    collect: (set) => {
      const ids = new Set<string>();
      for (const { status } of all()) if (status?.target !== undefined) ids.add(status.target.activation);
      set({}, ids.size);
    },
  });
}

function byReason(
  rollouts: Iterable<WithStatus>,
  type: 'Ready' | 'Stalled',
  is: 'True' | 'False',
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { status = {} } of rollouts) {
    const reason = reasonIf(status, type, is);
    if (reason !== undefined) count(counts, reason);
  }
  return counts;
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
