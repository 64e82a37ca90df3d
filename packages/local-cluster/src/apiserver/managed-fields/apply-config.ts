import { equal } from '../object.ts';
import { compare, ignoring } from './compare.ts';
import { emptySet, type FieldSet, intersection, isEmpty, pathsOf, union, without } from './field-set.ts';
import { fieldsOf } from './fields-of.ts';
import { identityOf, type Managed, type Managers, type Who } from './managers.ts';
import { merge } from './merge.ts';
import { prune } from './prune.ts';
import { loseChanged, ownable, type Rules } from './track-update.ts';

/** A field that others own, and to which this one would give another value. */
export interface Conflict {
  with: Who;
  path: readonly string[];
}

export class ApplyConflicts extends Error {
  override readonly name = 'ApplyConflicts';
  readonly conflicts: readonly Conflict[];

  constructor(conflicts: readonly Conflict[]) {
    super(`${conflicts.length} fields belong to others`);
    this.conflicts = conflicts;
  }
}

export interface Applied {
  /** The live object itself when nothing changed. */
  object: unknown;
  managers: Managers;
}

/**
 * What applying a config makes of an object: what it says holds, what this manager said before and no longer says goes
 * unless others want it. Throws ApplyConflicts when others said otherwise, unless it is forced.
 */
export function applyConfig(
  live: unknown,
  config: unknown,
  managers: Managers,
  who: Who,
  rules: Rules & { force: boolean },
  time: string | undefined,
): Applied {
  const { shape, reset, force } = rules;
  const identity = identityOf(who);
  const before = managers.get(identity);
  const named = without(fieldsOf(config, shape), reset);
  const all = new Map(managers).set(identity, { ...who, time: before?.time, fields: named });
  const merged = merge(live, config, shape);
  const object = prune(merged, before?.fields ?? emptySet(), ownedBy(all), shape);

  const changes = ignoring(compare(live, object, shape), reset);
  const conflicts = conflictsIn(all, union(changes.modified, changes.added), identity);
  if (conflicts.length > 0 && !force) throw new ApplyConflicts(conflicts);
  const left = new Map(loseChanged(all, changes, identity));

  const isSame = equal(live, object);
  const fields = ownable(named);
  // Nothing happened, so there is no time at which it did: a newcomer that only agrees has none.
  if (isEmpty(fields)) left.delete(identity);
  else left.set(identity, { ...who, time: isSame ? before?.time : (time ?? before?.time), fields });
  return { object: isSame ? live : object, managers: left };
}

function ownedBy(managers: Managers): FieldSet {
  return [...managers.values()].reduce((owned, { fields }) => union(owned, fields), emptySet());
}

function conflictsIn(managers: Managers, changed: FieldSet, except: string): Conflict[] {
  const others = [...managers].filter(([identity]) => identity !== except);
  return others
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, managed]: [string, Managed]) =>
      pathsOf(intersection(managed.fields, changed)).map((path) => ({ with: managed, path })),
    );
}
