import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareVersions, isComparable } from './resource-version.ts';

test('resource versions compare as the numbers they are, also beyond 64 bits', () => {
  const version = fc.bigInt({ min: 1n, max: 2n ** 128n });
  fc.assert(
    fc.property(version, version, (a, b) => {
      expect(isComparable(String(a))).toBe(true);
      expect(Math.sign(compareVersions(String(a), String(b)))).toBe(a < b ? -1 : a > b ? 1 : 0);
    }),
  );
});

test.each(['', '0', '007', '-1', '1.5', '1e3', 'abc', '12 '])("'%s' is not comparable", (version) => {
  expect(isComparable(version)).toBe(false);
});
