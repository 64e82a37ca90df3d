import { Screen } from 'trimtab/cli/output/screen.ts';
import { expect, test } from 'vitest';
import { colouredLine } from './coloured-line.ts';

const screen = (isTTY: boolean) => new Screen({ write: () => {}, isTTY }, {});

test.each([
  ['default demo 1.0.1: current', 'good', '\x1b[1mdefault demo 1.0.1\x1b[0m: \x1b[32mcurrent\x1b[0m'],
  [
    'default demo 1.0.2: rolled back: a: b',
    'bad',
    '\x1b[1mdefault demo 1.0.2\x1b[0m: \x1b[31mrolled back: a: b\x1b[0m',
  ],
  ['default demo: colour set to green', undefined, '\x1b[1mdefault demo\x1b[0m: colour set to green'],
  ['no subject', 'good', 'no subject'],
] as const)('%s (%s) on a terminal, and without colours elsewhere', (line, health, coloured) => {
  expect(colouredLine(line, screen(true), health)).toBe(coloured);
  expect(colouredLine(line, screen(false), health)).toBe(line);
});
