import type { RolloutState } from '../activation/rollout-state.ts';
import type { WorkloadState } from '../activation/types.ts';
import type { WorkloadKey } from '../workload/workload-key.ts';
import { readWorkloadKey, workloadText } from '../workload/workload-key.ts';

/** A workload that was set to a version which was rolled back, most likely by `kubectl rollout undo`. */
export interface RejectedPin {
  workload: WorkloadKey;
  message: string;
}

/** `goodRevision` returns the number of the workload's newest revision that references the current versions. */
export function rejectedPins(
  { config, versions, current }: Pick<RolloutState, 'config' | 'versions' | 'current'>,
  workloads: readonly Pick<WorkloadState, 'key' | 'assignment' | 'references' | 'pin'>[],
  goodRevision: (workload: WorkloadKey) => number | undefined,
): RejectedPin[] {
  return workloads.flatMap(({ key, assignment, references, pin }): RejectedPin[] => {
    // The annotation is deliberate, and has its own way out.
    if (assignment !== 'pinned' || pin !== undefined) return [];
    const version = versions.find(({ object }) => object === references.get(config));
    if (version === undefined || version.object === current?.object || version.rejections.length === 0)
      return [];
    const what = `${workloadText(key)} was set to version ${version.name}, which was rolled back before`;
    return [{ workload: key, message: `${what}; ${recoveryHint(key, goodRevision(key))}` }];
  });
}

function recoveryHint(workload: WorkloadKey, revision: number | undefined): string {
  if (revision === undefined) return 'the next activation updates it';
  const { kind, name } = readWorkloadKey(workload);
  return `to recover: kubectl rollout undo ${kind.toLowerCase()}/${name} --to-revision=${revision}`;
}
