import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalQuantity, quantityUnits, quantityValue } from './quantity.ts';

test.each([
  ['1000m', '1'],
  ['1', '1'],
  ['0.5', '500m'],
  ['1024Mi', '1Gi'],
  ['1.5Gi', '1536Mi'],
  ['1000Ki', '1000Ki'],
  ['1000', '1k'],
  ['1500', '1500'],
  ['0', '0'],
  ['0Gi', '0'],
  ['1e3', '1e3'],
  ['100e1', '1e3'],
  ['0.0000000001', '1n'],
  ['-5', '-5'],
  ['+5', '5'],
  ['.5', '500m'],
  ['512Ki', '512Ki'],
  ['0.5Ki', '512'],
])('%s is written %s', (given, expected) => {
  expect(canonicalQuantity(given)).toBe(expected);
});

test.each(['', 'abc', '1x', '--1', '1.2.3', 'Gi', '1 Gi', '.'])('%j is no quantity', (text) => {
  expect(canonicalQuantity(text)).toBeUndefined();
});

test('the canonical form is its own canonical form, and never less than what was asked for', () => {
  const suffix = fc.constantFrom('n', 'u', 'm', '', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi');
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e6 }), suffix, (number, unit) => {
      const once = canonicalQuantity(`${number}${unit}`) ?? '';
      expect(canonicalQuantity(once)).toBe(once);
      expect(quantityValue(once)).toBeCloseTo(quantityValue(`${number}${unit}`) ?? Number.NaN, 6);
    }),
  );
});

test.each([
  ['0.07', 3, 70n],
  ['1.0001', 3, 1001n],
  ['250m', 0, 1n],
  ['-250m', 0, 0n],
  ['1.5Ki', 0, 1536n],
  ['3e2', 3, 300_000n],
  ['1n', 3, 1n],
])('%s in units of 10^-%i is %s, rounded up', (text, scale, expected) => {
  expect(quantityUnits(text, scale)).toBe(expected);
});
