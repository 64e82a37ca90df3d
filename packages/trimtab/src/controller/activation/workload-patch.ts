import { jsonPointer } from '@trimtab/kube/json/json-pointer.ts';
import { annotations, labels } from '../../api/names.ts';
import { formatAssignmentRecord } from '../../core/activation/assignment-record.ts';
import type { Command } from '../../core/activation/types.ts';
import { assignOperations, type ConfigOf, type ManagedReferences } from '../../core/references/assignment.ts';
import { configName } from '../../core/references/config-key.ts';
import { formatAssignedVersions } from '../../core/reload/assigned-versions.ts';
import { type DeliveryMode, templateAnnotations } from '../../core/reload/delivery-mode.ts';
import type { Workload } from '../../core/workload/reduce-workload.ts';
import type { JsonOperation } from '../guarded-patch.ts';
import type { ReferenceChange } from '../workload/change-references.ts';
import { mapOperations } from './map-operations.ts';

type Move = Extract<Command, { do: 'assign' | 'revert' }>;

/**
 * Returns the change that a command makes. Each replaced value is tested first, so a change that a user has made since is
 * never overwritten.
 */
export function moveChange(command: Move, configOf: ConfigOf, mode: DeliveryMode): ReferenceChange {
  const named = mode === 'reload' ? originalsOf(command.references) : command.references;
  const versions = mode === 'reload' ? formatAssignedVersions(command.references) : undefined;
  return {
    tests,
    references: ({ references }) => assignOperations(references, named, configOf),
    templateAnnotations({ annotations: own, templateAnnotations: its }) {
      const changes = templateAnnotations(own, its, mode);
      if (command.do === 'assign' && command.recycle !== undefined)
        changes.set(annotations.recycled, command.recycle);
      return changes;
    },
    label: command.label,
    record: formatAssignmentRecord(command.record),
    annotations: new Map([[annotations.versions, versions]]),
  };
}

/** Returns the patch that updates the record of a workload without moving the workload. */
export function notePatch(workload: Workload, { record }: Extract<Command, { do: 'note' }>): JsonOperation[] {
  return [
    ...tests(workload),
    ...mapOperations(
      ['metadata', 'labels'],
      workload.labels,
      new Map([[labels.assigned, workload.labels[labels.assigned]]]),
      workload.resourceVersion,
    ),
    ...mapOperations(
      ['metadata', 'annotations'],
      workload.annotations,
      new Map([[annotations.assignment, formatAssignmentRecord(record)]]),
      workload.resourceVersion,
    ),
  ];
}

function tests(workload: Workload): JsonOperation[] {
  return [
    { op: 'test', path: '/metadata/uid', value: workload.uid },
    // If the workload was changed and changed back, all values are the same but the command is outdated.
    { op: 'test', path: '/metadata/generation', value: workload.observed.generation },
    ...pinTest(workload),
  ];
}

/** A pin changes neither the generation nor a value that is replaced. A missing annotation is tested as null. */
function pinTest({ annotations: own }: Workload): JsonOperation[] {
  if (Object.keys(own).length === 0) return [];
  const path = jsonPointer('metadata', 'annotations', annotations.pin);
  return [{ op: 'test', path, value: own[annotations.pin] ?? null }];
}

/** The template of a workload whose pods are reloaded names the configs themselves. */
function originalsOf(references: ManagedReferences): ManagedReferences {
  return new Map([...references.keys()].map((config) => [config, configName(config)]));
}
