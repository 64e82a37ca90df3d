import type { ConfigRollout } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';

/** Whether both have the same annotation. The managed workloads decide which configs are activated together. */
export function hasSameWorkloads(one: ConfigRollout, other: ConfigRollout): boolean {
  const list = ({ metadata }: ConfigRollout) => metadata.annotations?.[annotations.workloads];
  return list(one) === list(other);
}

/** The workloads for which a config is managed, such as `Deployment/web`; their opt-in may be lost since. */
export function managedWorkloads(rollout: ConfigRollout): string[] {
  try {
    const list: unknown = JSON.parse(rollout.metadata.annotations?.[annotations.workloads] ?? '[]');
    return Array.isArray(list) ? list.filter((key) => typeof key === 'string') : [];
  } catch {
    // The annotation was edited. Workloads that still opt in are found again; the others are lost.
    return [];
  }
}
