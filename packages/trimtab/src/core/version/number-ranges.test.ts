import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatRanges, hasNumber, type NumberRanges, parseRanges, withNumber } from './number-ranges.ts';

const rangesOf = (numbers: readonly number[]) => numbers.reduce<NumberRanges>(withNumber, []);

test('consecutive numbers become one range', () => {
  expect(formatRanges(rangesOf([3, 1, 0, 7, 2, 9, 8]))).toBe('0-3 7-9');
  expect(formatRanges(rangesOf([5, 3, 4]))).toBe('3-5');
  expect(formatRanges([])).toBe('');
});

test('the ranges contain exactly the numbers that were added, and survive being written down', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(30)), (numbers) => {
      const ranges = rangesOf(numbers);
      for (let number = 0; number <= 31; number++)
        expect(hasNumber(ranges, number)).toBe(numbers.includes(number));
      expect(parseRanges(formatRanges(ranges))).toEqual(ranges);
    }),
  );
});

test.each(['x', '3-1', '1 2', '5 1', '1-3 3', '-1', '1--2', '1.5', '1234567890123456'])(
  'is not a set of numbers: %s',
  (text) => {
    expect(parseRanges(text)).toBeUndefined();
  },
);

test('a text of the largest size of an annotation is parsed in linear time', () => {
  const text = Array.from({ length: 45_000 }, (_, index) => index * 2).join(' ');
  // With a copy for each range, this would take minutes.
  for (let count = 0; count < 20; count++) expect(parseRanges(text)).toHaveLength(45_000);
});
