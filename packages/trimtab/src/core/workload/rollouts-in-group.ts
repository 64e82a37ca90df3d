import type { ConfigRollout } from '../../api/config-rollout.ts';
import { managedWorkloads } from './managed-workloads.ts';

/** The rollouts that share a workload with `rollout`, or with one that does, and so on. */
export function rolloutsInGroup(rollout: ConfigRollout, others: readonly ConfigRollout[]): ConfigRollout[] {
  const workloads = new Set(managedWorkloads(rollout));
  const found = new Set<ConfigRollout>();
  for (;;) {
    const more = others.filter(
      (each) => !found.has(each) && managedWorkloads(each).some((key) => workloads.has(key)),
    );
    if (more.length === 0) return [...found];
    for (const each of more) {
      found.add(each);
      for (const key of managedWorkloads(each)) workloads.add(key);
    }
  }
}
