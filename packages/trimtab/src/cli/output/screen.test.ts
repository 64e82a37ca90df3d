import { describe, expect, test } from 'vitest';
import { cut, Screen, widthOf } from './screen.ts';

const quiet = { write: () => {} };

test.each([
  ['plain', 5],
  ['\x1b[32mgreen\x1b[0m', 5],
  ['│ ├─ ✔', 6],
  ['日本語', 6],
  ['e\u0301', 1],
])('%j takes %i columns', (text, width) => {
  expect(widthOf(text)).toBe(width);
});

describe('a text that is too wide', () => {
  test.each([
    ['is cut at its end', 'abcdef', 4, 'abc…'],
    ['keeps the codes that end its colours', '\x1b[31mabcdef\x1b[0m', 4, '\x1b[31mabc…\x1b[0m'],
    ['is never wider than the limit', '日本語', 4, '日…'],
    ['may vanish', 'abc', 0, ''],
  ])('%s', (_, text, width, expected) => {
    expect(cut(text, width)).toBe(expected);
  });
});

test.each([
  [{ LANG: 'en_US.UTF-8' }, true],
  [{ LANG: 'en_US.UTF-8', LC_ALL: 'C' }, false],
  [{ LC_CTYPE: 'C.utf8' }, true],
  [{}, false],
])('the locale %j decides whether symbols are shown', (env, hasUnicode) => {
  expect(new Screen(quiet, env).hasUnicode).toBe(hasUnicode);
});
