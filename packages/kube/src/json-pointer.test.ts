import { expect, test } from 'vitest';
import { jsonPointer } from './json-pointer.ts';

test('a name with a slash or a tilde stays one name', () => {
  expect(jsonPointer('metadata', 'labels', 'trimtab.dev/state')).toBe('/metadata/labels/trimtab.dev~1state');
  expect(jsonPointer('data', 'a~/b')).toBe('/data/a~0~1b');
  expect(jsonPointer('data', '~1')).toBe('/data/~01');
});
