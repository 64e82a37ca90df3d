import { parseAssignedVersions } from '../references/assigned-versions.ts';
import { assignmentHash, type ManagedReferences, type TemplateReading } from '../references/assignment.ts';
import { configName } from '../references/config-key.ts';
import { templateAnnotations } from './delivery-mode.ts';

interface ReloadedWorkload {
  annotations: Readonly<Record<string, string>>;
  templateAnnotations: Readonly<Record<string, string>>;
  /** The annotation `trimtab.dev/versions`. */
  versions: string | undefined;
  /** The label `trimtab.dev/assigned`. */
  label: string | undefined;
}

/**
 * What a workload whose pods are reloaded was assigned. Its template names the configs themselves, so an annotation holds
 * the versions. It cannot be pinned: `kubectl rollout undo` restores an old annotation, which the label does not match, and
 * the versions are assigned again.
 */
export function reloadState(
  reading: TemplateReading,
  { annotations, templateAnnotations: ofTemplate, versions, label }: ReloadedWorkload,
): { references: ManagedReferences; assignment: 'ours' | 'unassigned' | 'none' } {
  const assigned = parseAssignedVersions(versions);
  const configs = [...reading.references.keys()];
  const references = new Map(
    configs.map((config) => [config, assigned.get(config) ?? configName(config)] as const),
  );
  if (configs.length === 0) return { references, assignment: 'none' };
  const isTemplateReady =
    !reading.mixed &&
    configs.every((config) => reading.references.get(config) === configName(config)) &&
    templateAnnotations(annotations, ofTemplate, 'reload').size === 0;
  const isAssigned = configs.every((config) => assigned.has(config)) && assignmentHash(references) === label;
  return { references, assignment: isTemplateReady && isAssigned ? 'ours' : 'unassigned' };
}
