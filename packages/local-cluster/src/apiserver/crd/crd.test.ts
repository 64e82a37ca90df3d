import { describe, expect, test } from 'vitest';
import { applyDefaults } from './defaults.ts';
import { sentence } from './problem.ts';
import { prune } from './prune.ts';
import type { StructuralSchema } from './structural-schema.ts';
import { validate } from './validate.ts';

/** The messages below are those of kube-apiserver 1.36 for the same objects. */
const spec: StructuralSchema = {
  type: 'object',
  required: ['size'],
  properties: {
    size: { type: 'integer', minimum: 1, maximum: 5000 },
    low: { type: 'integer', format: 'int32' },
    mode: { type: 'string', enum: ['A', 'B'], default: 'A' },
    name: { type: 'string', minLength: 2, maxLength: 5, pattern: '^[a-z]+$' },
    when: { type: 'string', format: 'date-time' },
    flag: { type: 'boolean' },
    ratio: { type: 'number', exclusiveMaximum: true, maximum: 2 },
    list: { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string' } },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    map: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: {
        type: 'object',
        required: ['k'],
        properties: { k: { type: 'string' }, v: { type: 'string', default: 'x' } },
      },
    },
    any: { 'x-kubernetes-int-or-string': true },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    dict: { type: 'object', maxProperties: 1, additionalProperties: { type: 'integer' } },
    nil: { type: 'string', nullable: true },
    nested: { type: 'object', default: {}, properties: { a: { type: 'integer', default: 3 } } },
  },
};
const schema: StructuralSchema = { type: 'object', properties: { spec } };

const thing = (given: unknown) => ({
  apiVersion: 'example.dev/v1',
  kind: 'Thing',
  metadata: { name: 't' },
  spec: given,
});

describe('an object that breaks its schema is refused in the real server’s words', () => {
  test.each([
    [{}, ['spec.size: Required value']],
    [
      { size: 'a' },
      ['spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"'],
    ],
    [{ size: 0 }, ['spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1']],
    [
      { size: 6000 },
      ['spec.size: Invalid value: 6000: spec.size in body should be less than or equal to 5000'],
    ],
    [{ size: 5, mode: 'C' }, ['spec.mode: Unsupported value: "C": supported values: "A", "B"']],
    [
      { size: 5, name: 'a' },
      ['spec.name: Invalid value: "a": spec.name in body should be at least 2 chars long'],
    ],
    [{ size: 5, name: 'abcdefg' }, ['spec.name: Too long: may not be more than 5 bytes']],
    [{ size: 5, name: 'A1' }, [`spec.name: Invalid value: "A1": spec.name in body should match '^[a-z]+$'`]],
    [
      { size: 5, when: 'yesterday' },
      ['spec.when: Invalid value: "yesterday": spec.when in body must be of type date-time: "yesterday"'],
    ],
    [
      { size: 5, flag: 'yes' },
      ['spec.flag: Invalid value: "string": spec.flag in body must be of type boolean: "string"'],
    ],
    [{ size: 5, ratio: 2 }, ['spec.ratio: Invalid value: 2: spec.ratio in body should be less than 2']],
    [{ size: 5, list: [] }, ['spec.list: Invalid value: 0: spec.list in body should have at least 1 items']],
    [{ size: 5, list: ['a', 'b', 'c'] }, ['spec.list: Too many: 3: must have at most 2 items']],
    [
      { size: 5, list: [1] },
      ['spec.list[0]: Invalid value: "integer": spec.list[0] in body must be of type string: "integer"'],
    ],
    [{ size: 5, set: ['a', 'a'] }, ['spec.set[1]: Duplicate value: "a"']],
    [{ size: 5, map: [{ k: 'a' }, { k: 'a' }] }, ['spec.map[1]: Duplicate value: {"k":"a"}']],
    [{ size: 5, map: [{ v: 'a' }] }, ['spec.map[0].k: Required value']],
    [
      { size: 5, any: true },
      ['spec.any: Invalid value: "boolean": spec.any in body must be of type integer,string: "boolean"'],
    ],
    [{ size: 5, dict: { a: 1, b: 2 } }, ['spec.dict: Too many: 2: must have at most 1 item']],
    [
      { size: 5, dict: { a: 'x' } },
      ['spec.dict.a: Invalid value: "string": spec.dict.a in body must be of type integer: "string"'],
    ],
    [[], ['spec: Invalid value: "array": spec in body must be of type object: "array"']],
    [
      { size: 1.5 },
      [
        'spec.size: Invalid value: "number": spec.size in body must be of type integer: "number"',
        '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.size',
      ],
    ],
    [
      { size: 5, low: 99_999_999_999 },
      ['<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.low'],
    ],
    [{ size: 5, nil: null, any: 'x', list: ['a'] }, []],
  ])('%j', (given, sentences) => {
    expect(validate(schema, thing(given)).map(sentence)).toEqual(sentences);
  });
});

test('what the schema does not know is taken out and named, except where it says that all is welcome', () => {
  const object = thing({ size: 5, bogus: 2, free: { x: { y: 1 } }, map: [{ k: 'a', z: 1 }] });
  expect(prune(schema, object)).toEqual(['spec.bogus', 'spec.map[0].z']);
  expect(object).toEqual(thing({ size: 5, free: { x: { y: 1 } }, map: [{ k: 'a' }] }));
});

test('what was left out is filled in, in nested objects and lists, too; a null that is not allowed is left out', () => {
  const object = thing({ size: 5, nil: null, name: null, mode: null, map: [{ k: 'a' }] });
  applyDefaults(schema, object);
  expect(object).toEqual(
    thing({ size: 5, nil: null, mode: 'A', nested: { a: 3 }, map: [{ k: 'a', v: 'x' }] }),
  );
  const once = structuredClone(object);
  applyDefaults(schema, object);
  expect(object).toEqual(once);
});

test('a default is never shared between objects', () => {
  const [first, second] = [thing({ size: 5 }), thing({ size: 5 })];
  applyDefaults(schema, first);
  applyDefaults(schema, second);
  (first.spec as { nested: { a: number } }).nested.a = 4;
  expect(second.spec).toMatchObject({ nested: { a: 3 } });
});
