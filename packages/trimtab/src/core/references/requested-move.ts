import { annotations, labels } from '../../api/names.ts';
import { formatAssignedVersions, readAssignedVersions } from './assigned-versions.ts';
import { type ConfigKey, configKey } from './config-key.ts';
import type { Reference } from './references.ts';

/**
 * A change of references that a patch requests in the annotation `trimtab.dev/move`. Admission makes the change in the
 * same request: what admission changes stays with whoever applied it, and a field that Trimtab wrote would be Trimtab's.
 * Until then the request has no effect, so that nothing is half moved where no admission is.
 */
export interface RequestedMove {
  /** The generation that the workload had. Together with a change of the annotation it tells a request from an old one. */
  generation: number;
  /** What a reference names → what it is to name. */
  names: ReadonlyMap<ConfigKey, string>;
  /** The label `trimtab.dev/assigned`; undefined removes it. */
  label: string | undefined;
  /** The annotation `trimtab.dev/assignment`; undefined removes it. */
  record: string | undefined;
}

const nothing = '-';

/** Separated by spaces: neither names nor hashes have one, and the record comes last. */
export function formatMove({ generation, names, label, record }: RequestedMove): string {
  return [generation, label ?? nothing, formatAssignedVersions(names), record ?? nothing].join(' ');
}

interface Annotated {
  metadata: { annotations?: Record<string, string>; generation?: number };
}

/** Returns the move that this update requests; undefined when it requests none, and for the trace of an earlier one. */
export function requestedMove(
  object: Annotated,
  oldObject: Annotated | undefined,
): RequestedMove | undefined {
  const text = object.metadata.annotations?.[annotations.move];
  if (text === undefined || oldObject === undefined) return undefined;
  if (text === oldObject.metadata.annotations?.[annotations.move]) return undefined;
  const move = parseMove(text);
  return move?.generation === oldObject.metadata.generation ? move : undefined;
}

function parseMove(text: string): RequestedMove | undefined {
  const [generation = '', label = '', renames = '', ...record] = text.split(' ');
  if (!/^\d+$/.test(generation) || label === '' || record.length === 0) return undefined;
  const names = renames === '' ? new Map() : readAssignedVersions(renames);
  if (names === undefined) return undefined;
  const given = (value: string) => (value === nothing ? undefined : value);
  return {
    generation: Number(generation),
    names,
    label: given(label),
    record: given(record.join(' ')),
  };
}

/** The changes that a requested move makes, in the form of one operation for each. */
export function movedReferences(
  { names }: RequestedMove,
  found: readonly Reference[],
): { pointer: string; name: string }[] {
  return found.flatMap(({ kind, name: from, pointer }) => {
    const name = names.get(configKey(kind, from));
    return name === undefined || name === from ? [] : [{ pointer, name }];
  });
}

/** What a requested move sets beside the references. */
export function movedMetadata({ label, record }: RequestedMove) {
  return {
    labels: [[labels.assigned, label]] as const,
    annotations: [
      [annotations.assignment, record],
      [annotations.move, undefined],
    ] as const,
  };
}
