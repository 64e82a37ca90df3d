import fc from 'fast-check';
import type { JsonSchema } from '../../../src/gateway/route/route.ts';

/** Values that a schema allows, with some that it does not at every level. */
export function valuesOf(
  resolve: (schema: JsonSchema) => JsonSchema,
  schema: JsonSchema,
): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 40, arbitrary: allowed(resolve, resolve(schema)) },
    { weight: 1, arbitrary: fc.oneof(fc.jsonValue(), odd) },
  );
}

/** Values that an error message cannot show as they are. */
const odd = fc.constantFrom<unknown>(
  { toString: 1 },
  { toString: null, valueOf: null },
  { toJSON: 1, trim: 1 },
  [null],
  'x'.repeat(2_000),
  '初版',
);

function allowed(resolve: (schema: JsonSchema) => JsonSchema, schema: JsonSchema): fc.Arbitrary<unknown> {
  const { const: only, enum: some, anyOf, type } = schema;
  if (only !== undefined) return fc.constant(only);
  if (some !== undefined) return fc.constantFrom(...(some as unknown[]));
  if (anyOf !== undefined) return fc.oneof(...(anyOf as JsonSchema[]).map((each) => valuesOf(resolve, each)));
  if (Array.isArray(type))
    return fc.oneof(...type.map((each) => allowed(resolve, { ...schema, type: each })));
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer();
    case 'number':
      return fc.double();
    case 'string':
      return texts;
    case 'array':
      return fc.array(valuesOf(resolve, schema['items'] as JsonSchema), { maxLength: 3 });
    case 'object':
      return objects(resolve, schema);
    default:
      return fc.jsonValue();
  }
}

/** Names and values that the gateway treats in a special way, and any other text. */
const texts = fc.oneof(
  fc.constantFrom(
    '',
    'a',
    '1.0.0',
    '1.1',
    '2.0',
    'current',
    'locked',
    'auto',
    'Zm9v',
    '60s',
    'All',
    '../x',
    'a/b',
    '\u0000',
    '__proto__',
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ minLength: 300, maxLength: 300 }),
);

function objects(resolve: (schema: JsonSchema) => JsonSchema, schema: JsonSchema): fc.Arbitrary<unknown> {
  const { properties = {}, additionalProperties } = schema as {
    properties?: Record<string, JsonSchema>;
    additionalProperties?: JsonSchema | boolean;
  };
  const each = Object.fromEntries(
    Object.entries(properties).map(([key, schema]) => [key, valuesOf(resolve, schema)]),
  );
  // Many requests are refused when any field is missing.
  const named = fc.oneof(fc.record(each), fc.record(each, { requiredKeys: [] }));
  if (typeof additionalProperties !== 'object') return named;
  const others = fc.dictionary(texts, valuesOf(resolve, additionalProperties), { maxKeys: 3 });
  return fc.tuple(named, others).map(([some, more]) => ({ ...more, ...some }));
}
