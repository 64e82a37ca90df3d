import type { Patch } from '@trimtab/kube/client.ts';
import { jsonPointer } from '@trimtab/kube/json/json-pointer.ts';
import { annotations, labels } from '../../api/names.ts';
import type { Command } from '../../core/activation/types.ts';
import { assignOperations, type ConfigOf } from '../../core/references/assignment.ts';
import type { Workload } from '../cache/workloads.ts';
import { formatAssignmentRecord } from './assignment-record.ts';

type Operation = (Patch & { type: 'json' })['operations'][number];

/**
 * Returns the patch for a command. Template, label and record change in one patch, so a crash cannot separate them.
 * Each replaced value is tested first, so a change that a user has made since is never overwritten.
 */
export function workloadPatch(
  workload: Workload,
  command: Exclude<Command, { do: 'delete pod' }>,
  configOf: ConfigOf,
): Operation[] {
  const template =
    command.do === 'note' ? [] : assignOperations(workload.references, command.references, configOf);
  const label = command.do === 'note' ? workload.labels[labels.assigned] : command.label;
  const record = formatAssignmentRecord(command.record);
  return [
    { op: 'test', path: '/metadata/uid', value: workload.uid },
    // If the workload was changed and changed back, all values are the same but the command is outdated.
    { op: 'test', path: '/metadata/generation', value: workload.observed.generation },
    ...template,
    ...entry(workload, 'labels', labels.assigned, label),
    ...entry(workload, 'annotations', annotations.assignment, record),
  ];
}

function entry(
  workload: Workload,
  map: 'labels' | 'annotations',
  key: string,
  value: string | undefined,
): Operation[] {
  const before = workload[map][key];
  const path = jsonPointer('metadata', map, key);
  if (before === value) return before === undefined ? [] : [{ op: 'test', path, value: before }];
  if (before !== undefined) {
    const change: Operation = value === undefined ? { op: 'remove', path } : { op: 'replace', path, value };
    return [{ op: 'test', path, value: before }, change];
  }
  if (value === undefined) return [];
  if (Object.keys(workload[map]).length > 0) return [{ op: 'add', path, value }];
  // The cached workload has no such map. If one was added since, it must not be overwritten.
  return [
    { op: 'test', path: '/metadata/resourceVersion', value: workload.resourceVersion },
    { op: 'add', path: `/metadata/${map}`, value: { [key]: value } },
  ];
}
