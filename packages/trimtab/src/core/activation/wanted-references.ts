import { assignmentHash, type ManagedReferences } from '../references/assignment.ts';
import type { Activation, WorkloadState } from './types.ts';

/**
 * What a workload should name while an activation moves it: the targets of the members, and the current version
 * of every other managed config, since an activation ends a pin as a whole.
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

/** Whether we assigned the activation's targets to it: the label says so, whatever became of it since. */
export function wasMoved(activation: Activation, workload: WorkloadState): boolean {
  return workload.label === assignmentHash(wantedReferences(activation, workload));
}

/** Whether two activations are one attempt and what superseded it. */
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
