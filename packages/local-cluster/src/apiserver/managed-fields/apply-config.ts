import { equal } from '../object.ts';
import { compare, ignoring } from './compare.ts';
import { emptySet, type FieldSet, intersection, isEmpty, pathsOf, union, without } from './field-set.ts';
import { fieldsOf } from './fields-of.ts';
import { identityOf, type Managed, type ManagerIdentity, type Managers } from './managers.ts';
import { merge } from './merge.ts';
import { prune } from './prune.ts';
import { dropChanged, ownable, type Rules } from './track-update.ts';

/** A field that another manager owns and that the applied config would change. */
export interface Conflict {
  with: ManagerIdentity;
  path: readonly string[];
}

export class ApplyConflicts extends Error {
  override readonly name = 'ApplyConflicts';
  readonly conflicts: readonly Conflict[];

  constructor(conflicts: readonly Conflict[]) {
    super(`apply conflicts with other managers on ${conflicts.length} fields`);
    this.conflicts = conflicts;
  }
}

export interface Applied {
  /** The live object itself when nothing changes. */
  object: unknown;
  managers: Managers;
}

/**
 * Applies a config to an object. Values of the config are set; fields that this manager applied before and no longer
 * names are removed, unless another manager owns them. Throws ApplyConflicts when the config changes fields of other
 * managers, unless it is forced.
 */
export function applyConfig(
  live: unknown,
  config: unknown,
  managers: Managers,
  who: ManagerIdentity,
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
  const left = new Map(dropChanged(all, changes, identity));

  const isSame = equal(live, object);
  const fields = ownable(named);
  // An apply that changes nothing does not set the time, so a new manager that only agrees has none.
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
