import { expect, test } from 'vitest';
import { abbreviate } from './abbreviate.ts';
import { quoted, shortened } from './quoted.ts';

test.each([
  ['a "b"\n', '"a \\"b\\"\\n"'],
  ['', '""'],
  [1.5, '1.5'],
  [true, 'true'],
  [null, 'null'],
  [undefined, 'undefined'],
  [[1], 'a list'],
  [{ toString: 1 }, 'a map'],
  [{ toString: null, valueOf: null }, 'a map'],
  [Object.create(null), 'a map'],
])('%j is quoted as %s', (value, text) => {
  expect(quoted(value)).toBe(text);
});

test('a long text is cut, and the cut is marked', () => {
  expect(quoted('x'.repeat(3_000_000))).toBe(`"${'x'.repeat(100)}…"`);
  expect(shortened('abc', 2)).toBe('ab…');
  expect(shortened('abc', 3)).toBe('abc');
});

test('of many items, the first ones are shown', () => {
  const items = abbreviate(Array.from({ length: 5_000 }, (_, n) => `${n}`.repeat(1_000)));
  expect(items).toHaveLength(11);
  expect(items.at(-1)).toBe('and 4990 more');
  expect(items.join().length).toBeLessThan(2_500);
});

test('invisible characters are shown as escapes', () => {
  expect(quoted('1.0\u202e1\u200b\u{e0041}\u2028x')).toBe('"1.0\\u202e1\\u200b\\u{e0041}\\u2028x"');
  expect(quoted('Ünïcode 版本 🚢')).toBe('"Ünïcode 版本 🚢"');
});
