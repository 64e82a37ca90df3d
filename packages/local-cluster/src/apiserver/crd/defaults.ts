import { isRecord, type StructuralSchema, schemaOfEntry } from './structural-schema.ts';

/**
 * Fills in what the author left out. A null where the schema allows none counts as left out: it becomes the
 * default, or goes.
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

/** Schemas that say nothing of the value keep a null, too. */
function isDropped({ type }: StructuralSchema): boolean {
  return type !== undefined;
}
