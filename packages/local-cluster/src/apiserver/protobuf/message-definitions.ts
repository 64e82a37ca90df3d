import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** See tools/update-protobuf.ts for the types and their prefixes. */
export type FieldDefinition = [number: number, name: string, type: string];

let loaded: Record<string, FieldDefinition[]> | undefined;

/** The fields of a message, by its name in OpenAPI. The definitions are loaded on first use. */
export function fieldsOfMessage(name: string): readonly FieldDefinition[] | undefined {
  loaded ??= JSON.parse(
    readFileSync(join(import.meta.dirname, '../schemas/protobuf.json'), 'utf8'),
  ) as Record<string, FieldDefinition[]>;
  return loaded[name];
}
