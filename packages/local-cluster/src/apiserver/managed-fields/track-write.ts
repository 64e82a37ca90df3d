import type { ApiObject } from '../object.ts';
import { difference, isEmpty } from './field-set.ts';
import type { Managers } from './managers.ts';
import { readManagers, setManagers } from './object-managers.ts';
import { trackUpdate } from './track-update.ts';
import { bare, emptyObject, managerIdentity, rulesOf, type Writer } from './writer.ts';

/** Updates managedFields of a created or changed object. Mutates the object. */
export function trackWrite(writer: Writer, old: ApiObject | undefined, object: ApiObject): void {
  const before = managersBefore(writer, old, object);
  if (before.size === 0 && old !== undefined) {
    // A client that reset managedFields disables their tracking until the next apply.
    delete object.metadata.managedFields;
    return;
  }
  const live = old === undefined ? emptyObject(writer.kind) : bare(old);
  const who = managerIdentity(writer, 'Update');
  const after = trackUpdate(live, bare(object), before, who, rulesOf(writer), writer.time);
  setManagers(object, writer.subresource === 'scale' && !isTakenOver(before, after) ? before : after);
}

/** A Scale only takes over replicas that have a manager; replicas without one stay without. */
function isTakenOver(before: Managers, after: Managers): boolean {
  const sizes = [...before].map(([identity, { fields }]) => ({ fields, left: after.get(identity)?.fields }));
  return sizes.some(({ fields, left }) => left === undefined || !isEmpty(difference(fields, left)));
}

/** A client can send managedFields, also with changes; invalid ones are ignored. */
function managersBefore(
  { subresource }: Writer,
  old: ApiObject | undefined,
  { metadata }: ApiObject,
): Managers {
  const sent = metadata.managedFields;
  if (subresource === '' && sent !== undefined) {
    if (isReset(sent)) return new Map();
    const managers = readManagers(sent);
    if (managers !== undefined && managers.size > 0) return managers;
  }
  return readManagers(old?.metadata.managedFields) ?? new Map();
}

function isReset(sent: readonly unknown[]): boolean {
  if (sent.length > 1) return false;
  return Object.keys(sent[0] ?? {}).length === 0;
}
