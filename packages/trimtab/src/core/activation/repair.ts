import { assignmentHash, type ManagedReferences } from '../references/assignment.ts';
import { type ConfigKey, configName } from '../references/config-key.ts';
import { isHealthy } from '../workload/workload-progress.ts';
import { deleteAbandonedPods, deleteReappliedPods } from './stuck-pods.ts';
import type { AssignmentRecord, Command, WorkloadState } from './types.ts';

/** Returns what a workload needs while no activation moves it, including pods to delete. */
export function repairCommands(workload: WorkloadState): Command[] {
  const command = repairCommand(workload);
  if (command !== undefined) return [command];
  if (workload.assignment !== 'ours') return [];
  return [...deleteAbandonedPods(workload, [workload.references]), ...deleteReappliedPods(workload)];
}

/**
 * Assigns what a workload should run, in the way that it wants. A manifest that names configs themselves (re-applied or new) and a workload that
 * was left on another version get the current versions, or those that a user pinned. A workload whose versions another
 * client chose keeps them.
 */
export function repairCommand(workload: WorkloadState): Command | undefined {
  const { key, assignment, references, current, pin, record, label, observed, templateHash } = workload;
  if (assignment === 'none' || workload.isPartial) return undefined;
  if (assignment === 'pinned' && !runs(workload, pin?.references ?? current)) return rewriteCommand(workload);
  const wanted =
    pin?.references ??
    new Map([...references].map(([config, object]) => [config, current.get(config) ?? object]));
  const healthy = isHealthy(observed);
  const base: AssignmentRecord = {
    activation: record?.activation ?? '',
    previous: wanted,
    previousLabel: assignmentHash(wanted),
    // An activation that another controller has begun may move the workload again: it has not wanted pods in between.
    ...(record?.noPods && observed.desired === 0 && { noPods: true }),
    healthyTemplate: healthy ? templateHash : record?.healthyTemplate,
  };
  const isFree = pin === undefined && !workload.isReloaded;
  if (assignment === 'unassigned' && isFree && hasChosenVersions(workload, wanted)) {
    const kept = new Map(
      [...references].map(([config, object]) => [
        config,
        isOriginal(config, object) ? (wanted.get(config) ?? object) : object,
      ]),
    );
    return { do: 'assign', workload: key, references: kept, label: label ?? '', record: record ?? base };
  }
  const isAssigned =
    assignmentHash(references) === assignmentHash(wanted) && label === assignmentHash(wanted);
  if (!isAssigned || workload.isMiswritten) {
    return {
      do: 'assign',
      workload: key,
      references: wanted,
      label: assignmentHash(wanted),
      record: base,
    };
  }
  // A later failure is compared with the last healthy template.
  if (healthy && record?.healthyTemplate !== templateHash)
    return { do: 'note', workload: key, record: { ...(record ?? base), healthyTemplate: templateHash } };
  return undefined;
}

/**
 * Writes the versions that a workload has in the way that it wants now. Without this, a template that relies on an admission
 * which is gone would get no new pods, or pods that run the live config. Nothing else changes: the label, or its absence, still
 * tells who chose the versions, and the record tells the way back.
 */
export function rewriteCommand(workload: WorkloadState): Command | undefined {
  const { key, isMiswritten, isMixed, isPartial, assignment, references, label, record } = workload;
  if (!isMiswritten || isMixed || isPartial || !['ours', 'pinned'].includes(assignment)) return undefined;
  return { do: 'rewrite', workload: key, references, label, record };
}

/**
 * Another client chose exactly the wanted versions: an undo during an activation that was aborted, for example, or a user
 * who pins what was chosen.
 */
function runs({ references, isMixed }: WorkloadState, wanted: ManagedReferences): boolean {
  return !isMixed && [...references].every(([config, object]) => wanted.get(config) === object);
}

/**
 * Whether the template names some configs themselves and, for others, versions that another client chose. Those stay
 * pinned: only the missing versions are assigned.
 */
function hasChosenVersions({ references, label }: WorkloadState, wanted: ManagedReferences): boolean {
  const versions = new Map([...references].filter(([config, object]) => !isOriginal(config, object)));
  if (versions.size === 0 || label === undefined) return false;
  const completed = new Map([...wanted, ...versions]);
  return ![assignmentHash(versions), assignmentHash(completed)].includes(label);
}

function isOriginal(config: ConfigKey, object: string): boolean {
  return configName(config) === object;
}
