import type { ConfigKey } from '../references/config-key.ts';
import type { WorkloadKey } from '../workload/workload-key.ts';

export interface GroupingInput {
  /** Configs that want another version than their current one, and may move now. */
  ready: ReadonlySet<ConfigKey>;
  /** Configs whose coalescing window is still open: more edits may follow, so what shares a workload waits. */
  coalescing: ReadonlySet<ConfigKey>;
  /** Configs of activations under way. */
  moving: ReadonlySet<ConfigKey>;
  /** Which managed configs each workload references. */
  workloads: ReadonlyMap<WorkloadKey, readonly ConfigKey[]>;
}

/**
 * The sets of configs to activate now, each as one: configs that changed together and share a workload, be it
 * through others. A set that touches a workload of an activation under way, or a config that is still being
 * edited, waits.
 */
export function groupConfigs({ ready, coalescing, moving, workloads }: GroupingInput): ConfigKey[][] {
  const neighbours = sharedWorkloads(workloads);
  const seen = new Set<ConfigKey>();
  const sets: ConfigKey[][] = [];
  for (const config of [...ready].sort()) {
    if (seen.has(config)) continue;
    const set = connected(config, neighbours, (other) => ready.has(other));
    for (const each of set) seen.add(each);
    const touches = (others: ReadonlySet<ConfigKey>) =>
      set.some(
        (each) => others.has(each) || [...(neighbours.get(each) ?? [])].some((near) => others.has(near)),
      );
    if (!touches(coalescing) && !touches(moving)) sets.push(set.sort());
  }
  return sets;
}

/** The configs that each config shares a workload with. */
export function sharedWorkloads(workloads: GroupingInput['workloads']): Map<ConfigKey, Set<ConfigKey>> {
  const neighbours = new Map<ConfigKey, Set<ConfigKey>>();
  for (const configs of workloads.values()) {
    for (const config of configs) {
      const known = neighbours.get(config) ?? new Set();
      for (const other of configs) known.add(other);
      neighbours.set(config, known);
    }
  }
  return neighbours;
}

function connected(
  start: ConfigKey,
  neighbours: ReadonlyMap<ConfigKey, ReadonlySet<ConfigKey>>,
  counts: (config: ConfigKey) => boolean,
): ConfigKey[] {
  const found = new Set([start]);
  // A Set can grow while it is walked: each config that is found brings its neighbours.
  for (const config of found) {
    for (const near of neighbours.get(config) ?? []) if (counts(near)) found.add(near);
  }
  return [...found];
}
