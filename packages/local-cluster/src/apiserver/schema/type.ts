import { definitions, goFields, referenceOf, type SchemaNode } from './definitions.ts';

/** A schema that is compiled for decoding. */
export type Type =
  | { is: 'string' | 'boolean' | 'integer' | 'number'; go: string; named?: string }
  | { is: 'bytes' | 'any' | 'raw' | 'int-or-string' | 'quantity' | 'time' | 'micro-time'; go: string }
  | { is: 'list'; of: Type; go: string }
  | { is: 'map'; of: Type; go: string }
  | { is: 'struct'; name: string; go: string; fields: Map<string, Field> };

export interface Field {
  type: Type;
  /** Present even when empty, with Go's zero value. */
  always: boolean;
  /** A pointer in Go, so a zero value is kept. */
  pointer: boolean;
  /** Set when the field is empty. */
  default: unknown;
  mergeKey: string | undefined;
  strategies: readonly string[];
}

const special: Record<string, Type> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { is: 'quantity', go: 'resource.Quantity' },
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': { is: 'int-or-string', go: 'intstr.IntOrString' },
  'io.k8s.apimachinery.pkg.apis.meta.v1.Time': { is: 'time', go: 'v1.Time' },
  'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime': { is: 'micro-time', go: 'v1.MicroTime' },
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1': { is: 'raw', go: 'v1.FieldsV1' },
  'io.k8s.apimachinery.pkg.runtime.RawExtension': { is: 'raw', go: 'runtime.RawExtension' },
};

const compiled = new Map<string, Type>();

/** Returns the type of a definition, compiled on first use, as types can be recursive. */
export function typeNamed(name: string): Type {
  const known = special[name] ?? compiled.get(name);
  if (known !== undefined) return known;
  const node = definitions[name];
  if (node === undefined) throw new RangeError(`schema definition '${name}' does not exist`);
  const { properties } = node;
  if (properties === undefined) {
    const plain: Type =
      node.type === undefined || node.type === 'object' ? { is: 'any', go: goName(name) } : typeOf(node);
    compiled.set(name, plain);
    return plain;
  }
  const fields = new Map<string, Field>();
  compiled.set(name, { is: 'struct', name, go: goName(name), fields });
  for (const [key, property] of Object.entries(properties)) {
    fields.set(key, fieldOf(name, key, property));
  }
  return compiled.get(name) as Type;
}

function fieldOf(owner: string, key: string, node: SchemaNode): Field {
  const type = typeOf(node);
  const facts = goFields[owner];
  const pointer = facts?.pointers?.includes(key) ?? false;
  const isZeroDefault = 'default' in node && isZero(node.default);
  return {
    type,
    always:
      (isZeroDefault && !(facts?.omitted?.includes(key) ?? false)) || (facts?.nulls?.includes(key) ?? false),
    pointer,
    default: 'default' in node && !isZeroDefault ? node.default : undefined,
    mergeKey: node['x-kubernetes-patch-merge-key'],
    strategies: node['x-kubernetes-patch-strategy']?.split(',') ?? [],
  };
}

function typeOf(node: SchemaNode): Type {
  const reference = referenceOf(node);
  if (reference !== undefined) return typeNamed(reference);
  switch (node.type) {
    case 'string':
      return node.format === 'byte' ? { is: 'bytes', go: '[]uint8' } : { is: 'string', go: 'string' };
    case 'boolean':
      return { is: 'boolean', go: 'bool' };
    case 'integer':
      return { is: 'integer', go: node.format ?? 'int64' };
    case 'number':
      return { is: 'number', go: 'float64' };
    case 'array': {
      const of = typeOf(node.items ?? {});
      return { is: 'list', of, go: `[]${of.go}` };
    }
    case 'object': {
      if (node.additionalProperties === undefined) return { is: 'any', go: 'interface {}' };
      const of = typeOf(node.additionalProperties);
      return { is: 'map', of, go: `map[string]${of.go}` };
    }
    default:
      return { is: 'any', go: 'interface {}' };
  }
}

function isZero(value: unknown): boolean {
  if (value === '' || value === 0 || value === false) return true;
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** `io.k8s.api.core.v1.Container` → `v1.Container` */
function goName(name: string): string {
  return name.split('.').slice(-2).join('.');
}
