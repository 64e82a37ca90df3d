import { assignmentHash, type ManagedReferences } from '../references/assignment.ts';
import { type ConfigKey, configName } from '../references/config-key.ts';
import { isHealthy } from '../workload/workload-progress.ts';
import type { AssignmentRecord, Command, WorkloadState } from './types.ts';

/**
 * Returns what a workload needs while no activation touches it. A manifest that names configs themselves (re-applied
 * or new) and a workload that was left on another version get the current versions. A pinned workload is not changed.
 */
export function repairCommand(workload: WorkloadState): Command | undefined {
  const { key, assignment, references, current, record, label, observed, templateHash } = workload;
  if (assignment === 'none' || workload.isPartial) return undefined;
  if (assignment === 'pinned' && !runsCurrent(workload)) return undefined;
  const wanted = new Map([...references].map(([config, object]) => [config, current.get(config) ?? object]));
  const healthy = isHealthy(observed);
  const base: AssignmentRecord = {
    activation: record?.activation ?? '',
    previous: wanted,
    previousLabel: assignmentHash(wanted),
    healthyTemplate: healthy ? templateHash : record?.healthyTemplate,
  };
  if (assignment === 'unassigned' && !workload.isReloaded && hasChosenVersions(workload, wanted)) {
    const kept = new Map(
      [...references].map(([config, object]) => [
        config,
        isOriginal(config, object) ? (wanted.get(config) ?? object) : object,
      ]),
    );
    return { do: 'assign', workload: key, references: kept, label: label ?? '', record: record ?? base };
  }
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
  if (healthy && record?.healthyTemplate !== templateHash)
    return { do: 'note', workload: key, record: { ...(record ?? base), healthyTemplate: templateHash } };
  return undefined;
}

/** Another client chose exactly the current versions: an undo during an activation that was aborted, for example. */
function runsCurrent({ references, current, isMixed }: WorkloadState): boolean {
  return !isMixed && [...references].every(([config, object]) => current.get(config) === object);
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
