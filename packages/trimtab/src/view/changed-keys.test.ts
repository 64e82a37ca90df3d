import fc from 'fast-check';
import { expect, test } from 'vitest';
import { changedKeys } from './changed-keys.ts';

const body = (data: Record<string, string>, binaryData: Record<string, string> = {}) => ({
  metadata: {},
  data,
  binaryData,
});

test('keys are named, values are not', () => {
  const before = body({ same: 'a', changed: 'swordfish', removed: 'x' });
  const after = body({ same: 'a', changed: 'trout', added: 'x' });
  const changes = changedKeys(before, after);
  expect(changes).toEqual({ added: ['added'], removed: ['removed'], changed: ['changed'] });
  expect(JSON.stringify(changes)).not.toMatch(/swordfish|trout/);
});

test('what moves between text and binary has changed', () => {
  expect(changedKeys(body({ key: 'YQ==' }), body({}, { key: 'YQ==' })).changed).toEqual(['key']);
});

test('every key that differs is named once, and no other', () => {
  const data = fc.dictionary(fc.string({ maxLength: 3 }), fc.string({ maxLength: 2 }));
  fc.assert(
    fc.property(data, data, (before, after) => {
      const { added, removed, changed } = changedKeys(body(before), body(after));
      const named = [...added, ...removed, ...changed];
      const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
      const differs = (key: string) =>
        Object.hasOwn(before, key) !== Object.hasOwn(after, key) || before[key] !== after[key];
      expect(named.toSorted()).toEqual(keys.filter(differs).toSorted());
    }),
  );
});
