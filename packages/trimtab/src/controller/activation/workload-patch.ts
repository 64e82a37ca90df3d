import type { Patch } from '@trimtab/kube/client.ts';
import { jsonPointer } from '@trimtab/kube/json/json-pointer.ts';
import { annotations, labels } from '../../api/names.ts';
import { formatAssignmentRecord } from '../../core/activation/assignment-record.ts';
import type { Command } from '../../core/activation/types.ts';
import { assignOperations, type ConfigOf, type ManagedReferences } from '../../core/references/assignment.ts';
import { configName } from '../../core/references/config-key.ts';
import { formatAssignedVersions } from '../../core/reload/assigned-versions.ts';
import { type DeliveryMode, templateAnnotations } from '../../core/reload/delivery-mode.ts';
import type { Workload } from '../../core/workload/reduce-workload.ts';
import { mapOperations } from './map-operations.ts';

type Operation = (Patch & { type: 'json' })['operations'][number];

/**
 * Returns the patch for a command. Template, label and annotations change in one patch, so a crash cannot separate them.
 * Each replaced value is tested first, so a change that a user has made since is never overwritten.
 */
export function workloadPatch(
  workload: Workload,
  command: Exclude<Command, { do: 'delete pod' }>,
  configOf: ConfigOf,
  mode: DeliveryMode,
): Operation[] {
  const isNote = command.do === 'note';
  const label = isNote ? workload.labels[labels.assigned] : command.label;
  const entries = new Map<string, string | undefined>([
    [annotations.assignment, formatAssignmentRecord(command.record)],
  ]);
  if (!isNote)
    entries.set(
      annotations.versions,
      mode === 'reload' ? formatAssignedVersions(command.references) : undefined,
    );
  const metadata = (map: 'labels' | 'annotations', its: Map<string, string | undefined>) =>
    mapOperations(['metadata', map], workload[map], its, workload.resourceVersion);
  return [
    { op: 'test', path: '/metadata/uid', value: workload.uid },
    // If the workload was changed and changed back, all values are the same but the command is outdated.
    { op: 'test', path: '/metadata/generation', value: workload.observed.generation },
    ...pinTest(workload),
    ...(isNote ? [] : templateOperations(workload, command, configOf, mode)),
    ...metadata('labels', new Map([[labels.assigned, label]])),
    ...metadata('annotations', entries),
  ];
}

/** A pin changes neither the generation nor a value that is replaced. A missing annotation is tested as null. */
function pinTest({ annotations: own }: Workload): Operation[] {
  if (Object.keys(own).length === 0) return [];
  const path = jsonPointer('metadata', 'annotations', annotations.pin);
  return [{ op: 'test', path, value: own[annotations.pin] ?? null }];
}

function templateOperations(
  { references, annotations: own, templateAnnotations: its, resourceVersion }: Workload,
  command: Extract<Command, { do: 'assign' | 'revert' }>,
  configOf: ConfigOf,
  mode: DeliveryMode,
): Operation[] {
  const named = mode === 'reload' ? originalsOf(command.references) : command.references;
  const changes = templateAnnotations(own, its, mode);
  if (command.do === 'assign' && command.recycle !== undefined)
    changes.set(annotations.recycled, command.recycle);
  return [
    ...assignOperations(references, named, configOf),
    ...mapOperations(['spec', 'template', 'metadata', 'annotations'], its, changes, resourceVersion),
  ];
}

/** The template of a workload whose pods are reloaded names the configs themselves. */
function originalsOf(references: ManagedReferences): ManagedReferences {
  return new Map([...references.keys()].map((config) => [config, configName(config)]));
}
