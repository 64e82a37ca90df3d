import { expect, test } from 'vitest';
import { compile } from './program.ts';
import { celValue } from './values.ts';

test.each<[expression: string, answer: unknown]>([
  ['[1, 2, 2].isSorted()', true],
  ['[2, 1].isSorted()', false],
  ['["a", "b"].isSorted()', true],
  ['[].isSorted()', true],
  ['(self.whole.sum() + self.whole.sum()) % 2 == 0', true],
  ['self.whole.sum()', 6n],
  ['self.broken.sum()', 2.5],
  ['[].sum() == 0', true],
  ['self.whole.min()', 1n],
  ['["b", "c", "a"].max()', 'c'],
  ['self.whole.indexOf(3)', 2n],
  ['["a", "b", "a"].lastIndexOf("a")', 2n],
  ['["a"].indexOf("z")', -1n],
])('%s is %s', (expression, answer) => {
  const self = celValue({ whole: [1, 2, 3], broken: [0.5, 2] });
  expect(compile(expression)({ self })).toBe(answer);
});

test('nothing is the least of an empty list', () => {
  expect(() => compile('[].min()')({})).toThrow('min called on empty list');
});
