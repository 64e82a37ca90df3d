import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The parts of an OpenAPI v3 schema that Kubernetes' definitions use. */
export interface SchemaNode {
  $ref?: string;
  allOf?: SchemaNode[];
  oneOf?: SchemaNode[];
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  format?: string;
  default?: unknown;
  enum?: string[];
  required?: string[];
  properties?: Record<string, SchemaNode>;
  additionalProperties?: SchemaNode;
  items?: SchemaNode;
  'x-kubernetes-patch-strategy'?: string;
  'x-kubernetes-patch-merge-key'?: string;
  'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-group-version-kind'?: { group: string; version: string; kind: string }[];
}

/** Properties of Go types that OpenAPI does not have; see tools/update-go-fields.ts. */
interface GoFields {
  pointers?: string[];
  nulls?: string[];
  omitted?: string[];
}

const folder = join(import.meta.dirname, '../schemas');

function load<T>(file: string): Record<string, T> {
  return JSON.parse(readFileSync(join(folder, file), 'utf8')) as Record<string, T>;
}

/** Definitions of all served kinds and of the types that they use, by Kubernetes' names. */
export const definitions: Record<string, SchemaNode> = load('kubernetes.json');
export const goFields: Record<string, GoFields> = load('go-fields.json');

const referencePrefix = '#/components/schemas/';

/** Returns the definition that a node refers to, if the node is a reference. */
export function referenceOf(node: SchemaNode): string | undefined {
  const reference = node.$ref ?? node.allOf?.[0]?.$ref;
  return reference?.startsWith(referencePrefix) ? reference.slice(referencePrefix.length) : undefined;
}
