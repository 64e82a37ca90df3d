import { capManagers } from './cap-managers.ts';
import { type Comparison, compare, ignoring, isSame } from './compare.ts';
import { difference, type FieldSet, isEmpty, setOf, union } from './field-set.ts';
import { identityOf, type Managed, type Managers, type Who, withoutIdle } from './managers.ts';
import type { Shape } from './shape.ts';

/** What a server writes, and what says which object it is: nobody owns that. */
const ofNobody = setOf(
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ...['name', 'namespace', 'creationTimestamp', 'selfLink', 'uid', 'clusterName', 'generation'].map(
    (field) => ['f:metadata', `f:${field}`],
  ),
  ['f:metadata', 'f:managedFields'],
  ['f:metadata', 'f:resourceVersion'],
);

export function ownable(fields: FieldSet): FieldSet {
  return difference(fields, ofNobody);
}

export interface Rules {
  shape: Shape;
  /** Fields that this way of writing leaves as they are, whatever is sent. */
  reset: FieldSet;
}

/** Who owns what after a create, update or patch: the writer owns what it changed, and nobody else does any more. */
export function trackUpdate(
  live: unknown,
  next: unknown,
  managers: Managers,
  who: Who,
  rules: Rules,
  time: string | undefined,
): Managers {
  const changes = ignoring(compare(live, next, rules.shape), rules.reset);
  if (isSame(changes)) return withoutIdle(managers);
  const left = new Map(loseChanged(managers, changes));
  const taken = ownable(union(changes.modified, changes.added));
  if (!isEmpty(taken)) {
    const identity = identityOf(who);
    const before = left.get(identity);
    const fields = before === undefined ? taken : union(taken, before.fields);
    left.set(identity, { ...who, time: time ?? before?.time, fields });
  }
  return capManagers(left);
}

/** Without what changed under them, or is gone; `except` one who changes it. */
export function loseChanged(managers: Managers, changes: Comparison, except?: string): Managers {
  const changed = union(union(changes.modified, changes.added), changes.removed);
  const lost = [...managers].map(([identity, managed]): [string, Managed] => [
    identity,
    identity === except ? managed : { ...managed, fields: difference(managed.fields, changed) },
  ]);
  return withoutIdle(new Map(lost));
}
