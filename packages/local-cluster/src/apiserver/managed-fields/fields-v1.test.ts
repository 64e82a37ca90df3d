import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  difference,
  emptySet,
  insert,
  intersection,
  isEmpty,
  pathsOf,
  setOf,
  union,
  without,
} from './field-set.ts';
import { decodeFields, encodeFields } from './fields-v1.ts';

const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean());
const step = fc.oneof(
  fc.string().map((name) => `f:${name}`),
  fc.constantFrom('f:__proto__', 'f:constructor', 'f:.', 'f:', 'f:a', 'f:b'),
  fc.string().map((value) => `v:${JSON.stringify(value)}`),
  fc.dictionary(fc.string({ minLength: 1 }), scalar, { minKeys: 1, maxKeys: 3 }).map((keys) => {
    const sorted = Object.keys(keys).sort();
    return `k:{${sorted.map((key) => `${JSON.stringify(key)}:${JSON.stringify(keys[key])}`).join(',')}}`;
  }),
  fc.nat().map((index) => `i:${index}`),
);
const set = fc
  .array(fc.array(step, { minLength: 1, maxLength: 4 }), { maxLength: 8 })
  .map((paths) => setOf(...paths));

/** HTML characters are escaped in the text, so the set is parsed from the encoded text. */
const readBack = (encoded: object) => decodeFields(JSON.parse(JSON.stringify(encoded)));

test('a set of fields is the same after it was written down and read', () => {
  fc.assert(
    fc.property(set, (fields) => {
      const once = readBack(encodeFields(fields));
      expect(pathsOf(readBack(encodeFields(once)))).toEqual(pathsOf(once));
      expect(pathsOf(once)).toHaveLength(pathsOf(fields).length);
    }),
  );
});

test('sets of fields are sets of paths', () => {
  const texts = (fields: ReturnType<typeof emptySet>) =>
    new Set(pathsOf(fields).map((path) => JSON.stringify(path)));
  fc.assert(
    fc.property(set, set, (a, b) => {
      const [inA, inB] = [texts(a), texts(b)];
      expect(texts(union(a, b))).toEqual(inA.union(inB));
      expect(texts(intersection(a, b))).toEqual(inA.intersection(inB));
      expect(texts(difference(a, b))).toEqual(inA.difference(inB));
      expect(isEmpty(difference(a, a))).toBe(true);
    }),
  );
});

test('without a field goes all that is in it', () => {
  const fields = setOf(['f:spec'], ['f:spec', 'f:a'], ['f:spec', 'f:b', 'f:c'], ['f:data']);
  expect(pathsOf(without(fields, setOf(['f:spec'])))).toEqual([['f:data']]);
  expect(pathsOf(without(fields, setOf(['f:spec', 'f:b'])))).toEqual([
    ['f:data'],
    ['f:spec'],
    ['f:spec', 'f:a'],
  ]);
});

test('a field that is owned together with what is in it has a dot', () => {
  const fields = emptySet();
  insert(fields, ['f:data']);
  insert(fields, ['f:data', 'f:a']);
  expect(encodeFields(fields)).toEqual({ 'f:data': { '.': {}, 'f:a': {} } });
});

test.each([
  ['keys in any order', { 'k:{"b":1,"a":"x"}': {} }, [['k:{"a":"x","b":1}']]],
  ['spaces', { 'v: "x"': {} }, [['v:"x"']]],
  ['steps that nobody knows', { 'x:y': {}, 'f:a': {} }, [['f:a']]],
  ['nothing', {}, []],
  ['nothing at all', undefined, []],
])('%s are read as they are meant', (_what, encoded, paths) => {
  expect(pathsOf(decodeFields(encoded))).toEqual(paths);
});

test.each([
  ['no step', { data: {} }],
  ['an empty step', { '': {} }],
  ['a value that is none', { 'v:{': {} }],
  ['a key that is none', { 'k:7': {} }],
  ['an index that is none', { 'i:x': {} }],
  ['a list', { 'f:a': [] }],
  ['a text', 'f:a'],
])('%s is refused', (_what, encoded) => {
  expect(() => decodeFields(encoded)).toThrow(SyntaxError);
});
