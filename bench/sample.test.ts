import { expect, it } from 'vitest';
import { isSteady, median, sampleOf } from './sample.ts';

it('has the middle value as its median, or the mean of the two middle values', () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([9, 1, 5, 6])).toBe(5.5);
  expect(median([])).toBeNaN();
});

it('has a spread within which three of four values lie', () => {
  expect(sampleOf([10, 11, 13])).toEqual({ median: 11, spread: 2, values: [10, 11, 13] });
  expect(sampleOf([10, 11, 12, 90, 9]).spread).toBe(2);
});

it('has no spread with a single value', () => {
  expect(sampleOf([7])).toEqual({ median: 7, spread: null, values: [7] });
});

it('is steady when the spread is at most the share of the median', () => {
  expect(isSteady(sampleOf([90, 100, 110]), 0.1)).toBe(true);
  expect(isSteady(sampleOf([89, 100, 110]), 0.1)).toBe(false);
  expect(isSteady(sampleOf([0, 0, 0]), 0.1)).toBe(true);
  expect(isSteady(sampleOf([100]), 0.1)).toBe(false);
});
