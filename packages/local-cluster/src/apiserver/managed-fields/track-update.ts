import { capManagers } from './cap-managers.ts';
import { type Comparison, compare, ignoring, isSame } from './compare.ts';
import { difference, type FieldSet, isEmpty, setOf, union } from './field-set.ts';
import { identityOf, type Managed, type ManagerIdentity, type Managers, withoutEmpty } from './managers.ts';
import type { Shape } from './shape.ts';

/** Fields that the server writes or that identify the object; they have no manager. */
const unowned = setOf(
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
  return difference(fields, unowned);
}

export interface Rules {
  shape: Shape;
  /** Fields that a write of the object or subresource ignores. */
  reset: FieldSet;
}

/** Returns the managers after a create, update or patch: the writer becomes the only manager of the changed fields. */
export function trackUpdate(
  live: unknown,
  next: unknown,
  managers: Managers,
  who: ManagerIdentity,
  rules: Rules,
  time: string | undefined,
): Managers {
  const changes = ignoring(compare(live, next, rules.shape), rules.reset);
  if (isSame(changes)) return withoutEmpty(managers);
  const left = new Map(dropChanged(managers, changes));
  const taken = ownable(union(changes.modified, changes.added));
  if (!isEmpty(taken)) {
    const identity = identityOf(who);
    const before = left.get(identity);
    const fields = before === undefined ? taken : union(taken, before.fields);
    left.set(identity, { ...who, time: time ?? before?.time, fields });
  }
  return capManagers(left);
}

/** Removes changed and deleted fields from all managers other than `except`. */
export function dropChanged(managers: Managers, changes: Comparison, except?: string): Managers {
  const changed = union(union(changes.modified, changes.added), changes.removed);
  const lost = [...managers].map(([identity, managed]): [string, Managed] => [
    identity,
    identity === except ? managed : { ...managed, fields: difference(managed.fields, changed) },
  ]);
  return withoutEmpty(new Map(lost));
}
