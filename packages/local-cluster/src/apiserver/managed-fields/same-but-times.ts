import { type ApiObject, equal } from '../object.ts';

/** Whether a write changes only the times of managers; such a write is not stored. */
export function isSameButTimes(object: ApiObject, old: ApiObject): boolean {
  const after = object.metadata.managedFields;
  const before = old.metadata.managedFields;
  if (after === undefined || before === undefined) return equal(object, old);
  return (
    after.length === before.length &&
    equal(after.map(withoutTime), before.map(withoutTime)) &&
    equal(withoutManagers(object), withoutManagers(old))
  );
}

function withoutTime(entry: unknown): unknown {
  const { time: _, ...rest } = entry as { time?: string };
  return rest;
}

function withoutManagers(object: ApiObject): ApiObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
