import { assignmentHash, type ManagedReferences } from '../references/assignment.ts';
import type { Activation, WorkloadState } from './types.ts';

/**
 * Returns the references that a workload should have in an activation: the targets of the members, and the current
 * version of every other managed config, because an activation ends a pin as a whole.
 */
export function wantedReferences(
  { members }: Activation,
  { references, current }: Pick<WorkloadState, 'references' | 'current'>,
): ManagedReferences {
  const targets = new Map(members.map(({ config, target }) => [config, target.object]));
  return new Map(
    [...references].map(([config, object]) => [config, targets.get(config) ?? current.get(config) ?? object]),
  );
}

/** Whether the label shows that Trimtab assigned the activation's targets, even if the template changed since. */
export function wasMoved(activation: Activation, workload: WorkloadState): boolean {
  return workload.label === assignmentHash(wantedReferences(activation, workload));
}

/**
 * Whether the activation neither moves nor judges the workload any more, because an edit is about to supersede it. Admission has moved the
 * workload together with the edit; or a user has undone a move, whose label names versions of the edit, so that only the activation that
 * follows can tell. The activation does not end until the edit has superseded it or come to nothing.
 */
export function awaitsSuccessor(
  { id, members, edited }: Activation,
  { record, assignment, references }: Pick<WorkloadState, 'record' | 'assignment' | 'references'>,
): boolean {
  const its = members.filter(({ config }) => edited?.has(config) && references.has(config));
  if (assignment === 'pinned') return its.length > 0;
  return (
    assignment === 'ours' &&
    record?.joined === true &&
    record.activation === nextInLineage(id) &&
    its.some(({ config, target }) => references.get(config) !== target.object)
  );
}

/** Whether both ids belong to one attempt: the same activation, or activations that superseded one another. */
export function sameLineage(one: string, other: string): boolean {
  return lineage(one) === lineage(other);
}

/** The id of the activation that supersedes `id`. */
export function nextInLineage(id: string): string {
  const number = Number(id.slice(id.lastIndexOf('-') + 1));
  return `${lineage(id)}-${number + 1}`;
}

function lineage(id: string): string {
  return id.slice(0, id.lastIndexOf('-'));
}
