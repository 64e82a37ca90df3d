import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { colourDiff } from './colour-diff.ts';
import { Screen } from './screen.ts';

const output = (isTTY: boolean, env = {}) => new Screen({ write: () => true, isTTY }, env);
const diff = [
  '--- foo/1.0.0/data/a',
  '+++ foo/1.0.1/data/a',
  '@@ -1,2 +1,2 @@',
  '--- a list item',
  '+++ another',
  ' same',
  'Only in foo/1.0.1/data/b',
  '',
].join('\n');

test('a terminal gets colours, also for lines that look like headers', () => {
  const lines = colourDiff(diff, output(true)).split('\n');
  expect(lines).toEqual([
    '\x1b[1m--- foo/1.0.0/data/a\x1b[0m',
    '\x1b[1m+++ foo/1.0.1/data/a\x1b[0m',
    '\x1b[36m@@ -1,2 +1,2 @@\x1b[0m',
    '\x1b[31m--- a list item\x1b[0m',
    '\x1b[32m+++ another\x1b[0m',
    ' same',
    '\x1b[1mOnly in foo/1.0.1/data/b\x1b[0m',
    '',
  ]);
  expect(stripVTControlCharacters(lines.join('\n'))).toBe(diff);
});

test('other outputs and NO_COLOR get the plain diff', () => {
  expect(colourDiff(diff, output(false))).toBe(diff);
  expect(colourDiff(diff, output(true, { NO_COLOR: '1' }))).toBe(diff);
});

test('a value cannot control the terminal', () => {
  const evil = '@@ -1,1 +1,1 @@\n-a\x1b[2J\tb\n+\x9b31m\n';
  const shown = colourDiff(evil, output(true, { NO_COLOR: '1' }));
  expect(shown).toBe('@@ -1,1 +1,1 @@\n-a^[[2J\tb\n+\\x9b31m\n');
});
