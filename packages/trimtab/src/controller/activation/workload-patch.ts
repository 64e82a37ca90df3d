import { jsonPointer } from '@trimtab/kube/json/json-pointer.ts';
import { annotations, labels } from '../../api/names.ts';
import { formatAssignmentRecord } from '../../core/activation/assignment-record.ts';
import type { Command } from '../../core/activation/types.ts';
import { formatAssignedVersions } from '../../core/references/assigned-versions.ts';
import { assignOperations, type ConfigOf } from '../../core/references/assignment.ts';
import {
  type ReferenceWay,
  templateVersions,
  writtenReferences,
} from '../../core/references/reference-way.ts';
import { type DeliveryMode, templateAnnotations } from '../../core/reload/delivery-mode.ts';
import type { Workload } from '../../core/workload/reduce-workload.ts';
import type { JsonOperation } from '../guarded-patch.ts';
import type { ReferenceChange } from '../workload/change-references.ts';
import { mapOperations } from './map-operations.ts';

/** How the pods of a workload get a version. */
interface Delivery {
  mode: DeliveryMode;
  way: ReferenceWay;
}

type Move = Extract<Command, { do: 'assign' | 'revert' | 'rewrite' }>;

/**
 * Returns the change that a command makes. Each replaced value is tested first, so a change that a user has made since is
 * never overwritten.
 */
export function moveChange(command: Move, configOf: ConfigOf, { mode, way }: Delivery): ReferenceChange {
  const isReload = mode === 'reload';
  const named = writtenReferences(command.references, isReload ? 'admission' : way);
  return {
    tests,
    references: ({ references }) => assignOperations(references, named, configOf),
    templateAnnotations({ annotations: own, templateAnnotations: its, references }) {
      const changes = templateAnnotations(own, its, mode);
      const versions = isReload ? undefined : templateVersions(references, command.references, way);
      if (its[annotations.versions] !== versions) changes.set(annotations.versions, versions);
      if (command.do === 'assign' && command.recycle !== undefined)
        changes.set(annotations.recycled, command.recycle);
      return changes;
    },
    label: command.label,
    record: command.record && formatAssignmentRecord(command.record),
    annotations: new Map([
      [annotations.versions, isReload ? formatAssignedVersions(command.references) : undefined],
    ]),
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
    ),
    ...mapOperations(
      ['metadata', 'annotations'],
      workload.annotations,
      new Map([[annotations.assignment, formatAssignmentRecord(record)]]),
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
