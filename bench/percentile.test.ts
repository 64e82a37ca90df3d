import { expect, it } from 'vitest';
import { percentile } from './percentile.ts';

const oneToHundred = Array.from({ length: 100 }, (_, n) => 100 - n);

it.each([
  [50, 50],
  [99, 99],
  [100, 100],
  [0, 1],
])('p%i of 1 to 100 is %i', (percent, expected) => {
  expect(percentile(oneToHundred, percent)).toBe(expected);
});

it('of nothing is not a number', () => {
  expect(percentile([], 50)).toBeNaN();
});
