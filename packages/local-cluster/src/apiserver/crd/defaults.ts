import { isRecord, type StructuralSchema, schemaOfEntry } from './structural-schema.ts';

/**
 * Applies the defaults of the schema. A null where the schema does not allow null counts as missing: it is replaced
 * by the default, or removed.
 */
export function applyDefaults(schema: StructuralSchema, value: unknown): void {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items !== undefined) for (const item of value) applyDefaults(items, item);
    return;
  }
  if (!isRecord(value)) return;
  for (const [key, entry] of Object.entries(schema.properties ?? {})) {
    if (entry.default === undefined) continue;
    const isMissing = value[key] === undefined || (value[key] === null && entry.nullable !== true);
    if (isMissing) value[key] = structuredClone(entry.default);
  }
  for (const key of Object.keys(value)) {
    const entry = schemaOfEntry(schema, key);
    if (entry === undefined) continue;
    if (value[key] === null && entry.nullable !== true && isDropped(entry)) delete value[key];
    else applyDefaults(entry, value[key]);
  }
}

/** A schema without a type keeps a null. */
function isDropped({ type }: StructuralSchema): boolean {
  return type !== undefined;
}
