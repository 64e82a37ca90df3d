import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formerItem, isUnchanged } from './ratchet.ts';
import type { StructuralSchema } from './structural-schema.ts';
import { validate } from './validate.ts';

const item: StructuralSchema = {
  type: 'object',
  properties: { key: { type: 'string' }, size: { type: 'integer', maximum: 5 } },
};
const schema: StructuralSchema = {
  type: 'object',
  properties: {
    keyed: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['key'],
      items: item,
    },
    plain: { type: 'array', items: item },
    named: { type: 'object', additionalProperties: item },
  },
};

const items = fc.uniqueArray(fc.record({ key: fc.constantFrom('a', 'b', 'c'), size: fc.nat(9) }), {
  selector: ({ key }) => key,
});
const objects = fc.record({
  keyed: items,
  plain: items,
  named: fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), fc.record({ size: fc.nat(9) })),
});

test('whatever was wrong: what stays as it was is let pass', () => {
  fc.assert(
    fc.property(objects, (object) => {
      expect(validate(schema, structuredClone(object), '', object)).toEqual([]);
    }),
  );
});

test('an update is never told of more than a new object, and of everything that is wrong in new values', () => {
  fc.assert(
    fc.property(objects, objects, (now, before) => {
      const all = validate(schema, now).map(({ field }) => field);
      const told = validate(schema, now, '', before).map(({ field }) => field);
      expect(all).toEqual(expect.arrayContaining(told));
      for (const [index, { key, size }] of now.keyed.entries()) {
        const former = before.keyed.find((each) => each.key === key);
        expect(told.includes(`keyed[${index}].size`)).toBe(size > 5 && former?.size !== size);
      }
    }),
  );
});

test('only keys make the order of items meaningless', () => {
  const [now, before] = [
    [{ key: 'a' }, { key: 'b' }],
    [{ key: 'b' }, { key: 'a' }],
  ];
  expect(isUnchanged(schema, { keyed: now }, { keyed: before })).toBe(true);
  expect(isUnchanged(schema, { plain: now }, { plain: before })).toBe(false);
  expect(formerItem(schema.properties?.['plain'] ?? {}, now[0], before)).toBeUndefined();
});

test.each([
  ['fields that the schema does not know', { other: 1 }, { other: 1 }],
  ['another number of fields', { keyed: [] }, { keyed: [], plain: [] }],
  ['something else of another type', { keyed: [] }, { keyed: {} }],
  ['nothing before', {}, undefined],
  ['null before', {}, null],
])('%s: not the same', (_, now, before) => {
  expect(isUnchanged(schema, now, before)).toBe(false);
});
