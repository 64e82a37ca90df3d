import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonPointer, namesOf } from './json-pointer.ts';

test('a name with a slash or a tilde stays one name', () => {
  expect(jsonPointer('metadata', 'labels', 'trimtab.dev/state')).toBe('/metadata/labels/trimtab.dev~1state');
  expect(jsonPointer('data', 'a~/b')).toBe('/data/a~0~1b');
  expect(jsonPointer('data', '~1')).toBe('/data/~01');
});

test('a pointer leads back to the names that it was made of', () => {
  const name = fc.string({ unit: fc.constantFrom('a', '~', '/', '0', '1') });
  fc.assert(
    fc.property(fc.array(name), (names) => {
      expect(namesOf(jsonPointer(...names))).toEqual(names);
    }),
  );
});
