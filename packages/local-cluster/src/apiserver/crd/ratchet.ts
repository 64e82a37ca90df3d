import { equal } from '../object.ts';
import { isRecord, type StructuralSchema, schemaOfEntry } from './structural-schema.ts';

/**
 * Whether an update leaves a value unchanged, as far as its schema allows a comparison. An unchanged value may stay
 * invalid. `before` is undefined for a new value and for a value without counterpart in the old object.
 */
export function isUnchanged(schema: StructuralSchema, value: unknown, before: unknown): boolean {
  if (before === undefined) return false;
  if (Array.isArray(value)) return Array.isArray(before) && isSameList(schema, value, before);
  if (isRecord(value)) return isRecord(before) && isSameObject(schema, value, before);
  return value === before;
}

/** Returns the old value of an entry of an object. */
export function formerEntry(key: string, before: unknown): unknown {
  return isRecord(before) && Object.hasOwn(before, key) ? before[key] : undefined;
}

/** Returns the old value of an item of a list. Items are matched by map keys; a list without keys is one value. */
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

/** An object with fields outside of its schema never counts as unchanged: Kubernetes does not compare such fields. */
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
