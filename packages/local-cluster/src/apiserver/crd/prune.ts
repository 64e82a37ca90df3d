import { childPath, isRecord, type StructuralSchema, schemaOfEntry } from './structural-schema.ts';

/** Fields that every object has, even when its schema does not list them. */
const alwaysKnown = new Set(['apiVersion', 'kind', 'metadata']);

/**
 * Removes the fields that the schema does not define, and returns their paths. Strict field validation refuses such
 * fields; otherwise they are dropped.
 */
export function prune(schema: StructuralSchema, object: Record<string, unknown>): string[] {
  const unknown: string[] = [];
  pruneObject(schema, object, '', unknown, true);
  return unknown;
}

function pruneValue(schema: StructuralSchema, value: unknown, path: string, unknown: string[]): void {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items !== undefined)
      value.forEach((item, index) => {
        pruneValue(items, item, childPath(path, index), unknown);
      });
  } else if (isRecord(value)) {
    pruneObject(schema, value, path, unknown, schema['x-kubernetes-embedded-resource'] === true);
  }
}

function pruneObject(
  schema: StructuralSchema,
  value: Record<string, unknown>,
  path: string,
  unknown: string[],
  isResource: boolean,
): void {
  const keepsUnknown = schema['x-kubernetes-preserve-unknown-fields'] === true;
  for (const key of Object.keys(value)) {
    if (isResource && alwaysKnown.has(key)) continue;
    const entry = schemaOfEntry(schema, key);
    const where = childPath(path, key);
    if (entry !== undefined) pruneValue(entry, value[key], where, unknown);
    else if (!keepsUnknown && schema.additionalProperties !== true) {
      delete value[key];
      unknown.push(where);
    }
  }
}
