import { assignmentHash } from '../references/assignment.ts';
import { workloadProgress } from '../workload/workload-progress.ts';
import type { AssignmentRecord, Command, WorkloadState } from './types.ts';

/**
 * What a workload needs while no activation touches it: the current versions where its manifest names originals
 * (re-applied, or new) or where it was left behind. Somebody's own choice is left alone.
 */
export function repairCommand(workload: WorkloadState): Command | undefined {
  const { key, assignment, references, current, record, label, observed, templateHash } = workload;
  if (assignment === 'none' || assignment === 'pinned' || workload.isPartial) return undefined;
  // A config that has no current version yet will have one in a moment; half a move would be two rollouts.
  if ([...references.keys()].some((config) => !current.has(config))) return undefined;
  const wanted = new Map([...references.keys()].map((config) => [config, current.get(config) ?? '']));
  const healthy = workloadProgress(observed).done;
  const healthyTemplate = healthy ? templateHash : record?.healthyTemplate;
  const base: AssignmentRecord = {
    activation: record?.activation ?? '',
    previous: wanted,
    previousLabel: assignmentHash(wanted),
    healthyBefore: true,
    healthyTemplate,
  };
  if (assignmentHash(references) !== assignmentHash(wanted) || label !== assignmentHash(wanted)) {
    return {
      do: 'assign',
      workload: key,
      references: wanted,
      label: assignmentHash(wanted),
      record: base,
    };
  }
  // The last template that worked is what a later failure is compared with.
  if (healthy && (record?.healthyTemplate !== templateHash || record.recovering)) {
    const { recovering: _, ...kept } = record ?? base;
    return { do: 'note', workload: key, record: { ...kept, healthyTemplate: templateHash } };
  }
  return undefined;
}
