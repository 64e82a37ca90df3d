import { assignmentHash } from '../references/assignment.ts';
import { workloadProgress } from '../workload/workload-progress.ts';
import type { AssignmentRecord, Command, WorkloadState } from './types.ts';

/**
 * Returns what a workload needs while no activation touches it. A manifest that names configs themselves (re-applied
 * or new) and a workload that was left on another version get the current versions. A pinned workload is not changed.
 */
export function repairCommand(workload: WorkloadState): Command | undefined {
  const { key, assignment, references, current, record, label, observed, templateHash } = workload;
  if (assignment === 'none' || assignment === 'pinned' || workload.isPartial) return undefined;
  // A config without a current version soon gets one. Assigning the other configs now would cause two rollouts.
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
  // A later failure is compared with the last healthy template.
  if (healthy && (record?.healthyTemplate !== templateHash || record.recovering)) {
    const { recovering: _, ...kept } = record ?? base;
    return { do: 'note', workload: key, record: { ...kept, healthyTemplate: templateHash } };
  }
  return undefined;
}
