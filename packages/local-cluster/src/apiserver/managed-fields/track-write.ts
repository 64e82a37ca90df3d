import type { ApiObject } from '../object.ts';
import { difference, isEmpty } from './field-set.ts';
import type { Managers } from './managers.ts';
import { readManagers, setManagers } from './object-managers.ts';
import { trackUpdate } from './track-update.ts';
import { bare, emptyObject, rulesOf, type Writer, whoIs } from './writer.ts';

/** Notes in a created or changed object who owns what now. Changes the object. */
export function trackWrite(writer: Writer, old: ApiObject | undefined, object: ApiObject): void {
  const before = managersBefore(writer, old, object);
  if (before.size === 0 && old !== undefined) {
    // Whoever threw the record away does not want one, until somebody applies.
    delete object.metadata.managedFields;
    return;
  }
  const live = old === undefined ? emptyObject(writer.kind) : bare(old);
  const who = whoIs(writer, 'Update');
  const after = trackUpdate(live, bare(object), before, who, rulesOf(writer), writer.time);
  setManagers(object, writer.subresource === 'scale' && !isTakenOver(before, after) ? before : after);
}

/** Of a number of replicas that nobody owns, a Scale makes nobody the owner. */
function isTakenOver(before: Managers, after: Managers): boolean {
  const sizes = [...before].map(([identity, { fields }]) => ({ fields, left: after.get(identity)?.fields }));
  return sizes.some(({ fields, left }) => left === undefined || !isEmpty(difference(fields, left)));
}

/** A client may send the record along, changed even; one that makes no sense counts as not sent. */
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
