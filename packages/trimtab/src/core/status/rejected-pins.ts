import type { RolloutState } from '../activation/rollout-state.ts';
import type { WorkloadState } from '../activation/types.ts';
import type { WorkloadKey } from '../workload/workload-key.ts';
import { readWorkloadKey } from '../workload/workload-key.ts';

/** A workload that somebody brought onto content which was rolled back, most likely by `kubectl rollout undo`. */
export interface RejectedPin {
  workload: WorkloadKey;
  message: string;
}

/** `goodRevision` answers the number of the workload's newest revision that names what is current. */
export function rejectedPins(
  { config, versions, current }: Pick<RolloutState, 'config' | 'versions' | 'current'>,
  workloads: readonly Pick<WorkloadState, 'key' | 'assignment' | 'references'>[],
  goodRevision: (workload: WorkloadKey) => number | undefined,
): RejectedPin[] {
  return workloads.flatMap(({ key, assignment, references }): RejectedPin[] => {
    if (assignment !== 'pinned') return [];
    const version = versions.find(({ object }) => object === references.get(config));
    if (version === undefined || version.object === current?.object || version.rejections.length === 0)
      return [];
    const told = `${key} was set to version ${version.name}, which was rolled back before`;
    return [{ workload: key, message: `${told}; ${recoveryHint(key, goodRevision(key))}` }];
  });
}

function recoveryHint(workload: WorkloadKey, revision: number | undefined): string {
  if (revision === undefined) return 'the next activation moves it';
  const { kind, name } = readWorkloadKey(workload);
  return `to get back: kubectl rollout undo ${kind.toLowerCase()}/${name} --to-revision=${revision}`;
}
