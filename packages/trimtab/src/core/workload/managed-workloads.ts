import type { ConfigRollout } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';

/** The same list, as it is written: what ties a config to others. */
export function hasSameWorkloads(one: ConfigRollout, other: ConfigRollout): boolean {
  const list = ({ metadata }: ConfigRollout) => metadata.annotations?.[annotations.workloads];
  return list(one) === list(other);
}

/** The workloads that a config is managed for, as `Deployment/web`: those that opted in, once. */
export function managedWorkloads(rollout: ConfigRollout): string[] {
  try {
    const list: unknown = JSON.parse(rollout.metadata.annotations?.[annotations.workloads] ?? '[]');
    return Array.isArray(list) ? list.filter((key) => typeof key === 'string') : [];
  } catch {
    // Somebody edited it. Those that still opt in are found again; the others are lost to us.
    return [];
  }
}
