import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isObject } from '../object.ts';
import { mergePatch } from './merge-patch.ts';

/** The examples of RFC 7386. */
test.each([
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [['a'], ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
])('%j patched with %j is %j', (target, patch, expected) => {
  expect(mergePatch(target, patch)).toEqual(expected);
});

test('what a patch names is as it says, what it does not name is as it was', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue()), (target, patch) => {
      const result = mergePatch(target, patch) as Record<string, unknown>;
      for (const key of Object.keys(patch)) {
        if (patch[key] === null) expect(Object.hasOwn(result, key)).toBe(false);
        else if (!isObject(patch[key])) expect(result[key]).toEqual(patch[key]);
      }
      if (isObject(target))
        for (const key of Object.keys(target))
          if (!Object.hasOwn(patch, key)) expect(result[key]).toEqual(target[key]);
    }),
  );
});

test('applying a patch twice is applying it once', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (target, patch) => {
      const once = mergePatch(target, patch);
      expect(mergePatch(once, patch)).toEqual(once);
    }),
  );
});
