import { equal } from '../object.ts';
import { isRecord, type StructuralSchema, schemaOfEntry } from './structural-schema.ts';

/**
 * Whether an update leaves a value as it was, as far as its schema lets one tell: what was wrong in it before may stay.
 * `before` is undefined for what is new, and for what has no counterpart.
 */
export function isUnchanged(schema: StructuralSchema, value: unknown, before: unknown): boolean {
  if (before === undefined) return false;
  if (Array.isArray(value)) return Array.isArray(before) && isSameList(schema, value, before);
  if (isRecord(value)) return isRecord(before) && isSameObject(schema, value, before);
  return value === before;
}

/** What an entry of an object was. */
export function formerEntry(key: string, before: unknown): unknown {
  return isRecord(before) && Object.hasOwn(before, key) ? before[key] : undefined;
}

/** What an item of a list was. Only keys tell that: other lists are one value, whatever their type. */
export function formerItem(schema: StructuralSchema, item: unknown, before: unknown): unknown {
  const keys = schema['x-kubernetes-list-map-keys'];
  if (keys === undefined || !Array.isArray(before) || !isRecord(item)) return undefined;
  return before.find((other) => isRecord(other) && keys.every((key) => other[key] === item[key]));
}

function isSameList(schema: StructuralSchema, value: unknown[], before: unknown[]): boolean {
  const { items } = schema;
  if (value.length !== before.length) return false;
  if (items === undefined || schema['x-kubernetes-list-type'] !== 'map') return equal(value, before);
  return value.every((item) => isUnchanged(items, item, formerItem(schema, item, before)));
}

/** An object with fields that its schema does not know is never the same: Kubernetes does not compare those. */
function isSameObject(
  schema: StructuralSchema,
  value: Record<string, unknown>,
  before: Record<string, unknown>,
): boolean {
  const keys = Object.keys(value);
  if (keys.length !== Object.keys(before).length) return false;
  return keys.every((key) => {
    const entry = schemaOfEntry(schema, key);
    return entry !== undefined && isUnchanged(entry, value[key], formerEntry(key, before));
  });
}
