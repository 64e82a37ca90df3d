import type { ConfigKey } from '../references/config-key.ts';
import type { WorkloadKey } from '../workload/workload-key.ts';

export interface GroupingInput {
  /** Configs whose wanted version is not current and whose activation may start now. */
  ready: ReadonlySet<ConfigKey>;
  /** Configs whose coalescing window is open: more edits may follow, so configs that share a workload wait. */
  coalescing: ReadonlySet<ConfigKey>;
  /** Configs of activations in progress. */
  moving: ReadonlySet<ConfigKey>;
  /** The managed configs that each workload references. */
  workloads: ReadonlyMap<WorkloadKey, readonly ConfigKey[]>;
}

/**
 * Returns the sets of configs to activate together: ready configs that share a workload, directly or through other
 * ready configs. A set waits while it shares a workload with an activation in progress or with a config whose
 * coalescing window is open.
 */
export function groupConfigs({ ready, coalescing, moving, workloads }: GroupingInput): ConfigKey[][] {
  const neighbours = sharedWorkloads(workloads);
  const seen = new Set<ConfigKey>();
  const sets: ConfigKey[][] = [];
  for (const config of [...ready].sort()) {
    if (seen.has(config)) continue;
    const set = connected(config, neighbours, (other) => ready.has(other));
    for (const each of set) seen.add(each);
    const waits = [coalescing, moving].some((others) => waitsFor(set, others, neighbours).length > 0);
    if (!waits) sets.push(set.sort());
  }
  return sets;
}

/** Which of the others are in the set or share a workload with it, so that the set waits for them. */
export function waitsFor(
  set: readonly ConfigKey[],
  others: ReadonlySet<ConfigKey>,
  neighbours: ReadonlyMap<ConfigKey, ReadonlySet<ConfigKey>>,
): ConfigKey[] {
  const near = new Set(set.flatMap((each) => [each, ...(neighbours.get(each) ?? [])]));
  return [...others].filter((other) => near.has(other));
}

/** For each config, the configs that share a workload with it. */
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

export function connected(
  start: ConfigKey,
  neighbours: ReadonlyMap<ConfigKey, ReadonlySet<ConfigKey>>,
  counts: (config: ConfigKey) => boolean,
): ConfigKey[] {
  const found = new Set([start]);
  // The iteration includes configs that are added to the Set during the iteration.
  for (const config of found) {
    for (const near of neighbours.get(config) ?? []) if (counts(near)) found.add(near);
  }
  return [...found];
}
