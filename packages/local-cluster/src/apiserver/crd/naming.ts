import { timestamp } from '../../objects/timestamp.ts';
import { equal } from '../object.ts';
import { type Condition, type Definition, isTrue, type Names } from './definition.ts';

type Status = NonNullable<Definition['status']>;

/** Returns the next status of a definition; undefined when it is up to date. Established is set in a separate step. */
export function nextStatus(
  definition: Definition,
  others: readonly Definition[],
  now: number,
): Status | undefined {
  const { spec, status, metadata } = definition;
  if (metadata.deletionTimestamp !== undefined) return undefined;
  const before: Status = status ?? { conditions: null, acceptedNames: {}, storedVersions: null };
  const conflict = conflictOf(definition, others);
  const accepted = conflict === undefined ? { ...spec.names } : before.acceptedNames;
  const names = condition(
    'NamesAccepted',
    conflict === undefined ? 'True' : 'False',
    conflict?.reason ?? 'NoConflicts',
    conflict?.message ?? 'no conflicts found',
  );
  const isEstablished = isTrue(definition, 'Established');
  const isAccepted = isTrue(definition, 'NamesAccepted');
  const established = isEstablished
    ? undefined
    : conflict !== undefined
      ? condition('Established', 'False', 'NotAccepted', 'not all names are accepted')
      : isAccepted
        ? condition('Established', 'True', 'InitialNamesAccepted', 'the initial names have been accepted')
        : condition('Established', 'False', 'Installing', 'the initial names have been accepted');
  const conditions = merged(
    before.conditions ?? [],
    [names, ...(established ? [established] : [])],
    timestamp(now),
  );
  const next = { ...before, acceptedNames: accepted, conditions };
  return equal(next, before) ? undefined : next;
}

type Told = Omit<Condition, 'lastTransitionTime'>;

function condition(type: string, status: 'True' | 'False', reason: string, message: string): Told {
  return { type, status, reason, message };
}

function merged(before: readonly Condition[], told: readonly Told[], at: string): Condition[] {
  const result = [...before];
  for (const each of told) {
    const index = result.findIndex(({ type }) => type === each.type);
    const old = result[index];
    const lastTransitionTime = old?.status === each.status ? old.lastTransitionTime : at;
    const { type, status, ...rest } = each;
    const next = { type, status, lastTransitionTime, ...rest };
    if (index < 0) result.push(next);
    else result[index] = next;
  }
  return result;
}

/** Definitions of one group cannot share a name; a name stays with the definition that had it accepted first. */
function conflictOf(
  { spec }: Definition,
  others: readonly Definition[],
): { reason: string; message: string } | undefined {
  const taken = others
    .filter((each) => each.spec.group === spec.group)
    .map((each) => each.status?.acceptedNames ?? {});
  const resources = new Set(
    taken.flatMap((each) => [each.plural, each.singular, ...(each.shortNames ?? [])]),
  );
  const kinds = new Set(taken.flatMap((each) => [each.kind, each.listKind]));
  const clash = (reason: string, name: string) => ({
    reason,
    message: `${JSON.stringify(name)} is already in use`,
  });
  const { plural, singular = '', shortNames = [], kind, listKind = '' }: Names = spec.names;
  if (resources.has(plural)) return clash('PluralConflict', plural);
  if (resources.has(singular)) return clash('SingularConflict', singular);
  const short = shortNames.find((each) => resources.has(each));
  if (short !== undefined) return clash('ShortNamesConflict', short);
  if (kinds.has(kind)) return clash('KindConflict', kind);
  return kinds.has(listKind) ? clash('ListKindConflict', listKind) : undefined;
}
