import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addQuantities, compareQuantities, subtractQuantities } from './quantity-sums.ts';

test.each([
  ['100m', '900m', '1'],
  ['0', '512Mi', '512Mi'],
  ['512Mi', '512Mi', '1Gi'],
  ['1Gi', '1G', '2073741824'],
  ['1', '1Mi', '1048577'],
  ['1500m', '0', '1500m'],
  ['5', '1n', '5000000001n'],
])('%s and %s are %s', (one, other, sum) => {
  expect(addQuantities(one, other)).toBe(sum);
});

test.each([
  ['1', '250m', '750m'],
  ['1Gi', '1Gi', '0'],
  ['1', '2', '-1'],
])('%s without %s is %s', (one, other, rest) => {
  expect(subtractQuantities(one, other)).toBe(rest);
});

test.each([
  ['1000m', '1', 0],
  ['1Gi', '1G', 1],
  ['0.1', '100.1m', -1],
])('%s against %s is %i', (one, other, sign) => {
  expect(compareQuantities(one, other)).toBe(sign);
});

test('what is added can be taken away, to the last billionth', () => {
  const quantity = fc
    .tuple(fc.nat(1_000_000), fc.constantFrom('', 'm', 'u', 'n', 'k', 'Ki', 'Mi', 'Gi', 'e3'))
    .map(([count, suffix]) => `${count}${suffix}`);
  fc.assert(
    fc.property(quantity, quantity, (one, other) => {
      const endsLike = (pattern: RegExp) => [one, other].some((each) => pattern.test(each));
      // A sum in binary form is rounded to a whole number of bytes.
      fc.pre(!endsLike(/i$/) || !endsLike(/[mun]$/));
      const sum = addQuantities(one, other);
      expect(compareQuantities(subtractQuantities(sum, other), one)).toBe(0);
    }),
  );
});
