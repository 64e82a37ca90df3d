import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unifiedHunks } from './unified-diff.ts';

const line = fc.constantFrom('a', 'b', 'c', '', 'x y');
const lines = fc.array(line, { maxLength: 30 });
const text = fc.tuple(lines, fc.boolean()).map(([all, ends]) => all.join('\n') + (ends ? '\n' : ''));

test('the unified text of a diff, applied to the one, gives the other, whatever the budget', () => {
  fc.assert(
    fc.property(text, text, fc.constantFrom(0, 2, 1_000), (a, b, steps) => {
      expect(apply(a, unifiedHunks(a, b, { steps }))).toBe(b);
    }),
    { numRuns: 2_000 },
  );
});

test('a diff is as short as can be', () => {
  const few = fc.array(line, { maxLength: 8 });
  fc.assert(
    fc.property(few, few, (a, b) => {
      const hunks = unifiedHunks(
        a.map((each) => `${each}\n`).join(''),
        b.map((each) => `${each}\n`).join(''),
      );
      const edits = hunks.match(/^[+-]/gm)?.length ?? 0;
      expect(edits).toBe(a.length + b.length - 2 * longestCommon(a, b));
    }),
    { numRuns: 500 },
  );
});

test('it reads as diff -u writes it', () => {
  const a = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n';
  const b = 'one\ntwo\nthree\nfour\n5\nsix\nseven\neight\nnine';
  expect(unifiedHunks(a, b)).toBe(
    [
      '@@ -2,7 +2,8 @@',
      ' two',
      ' three',
      ' four',
      '-five',
      '+5',
      ' six',
      ' seven',
      ' eight',
      '+nine',
      '\\ No newline at end of file',
      '',
    ].join('\n'),
  );
  expect(unifiedHunks(a, a)).toBe('');
  expect(unifiedHunks('', 'a\n')).toBe('@@ -0,0 +1,1 @@\n+a\n');
});

test('two texts of 100,000 lines with nothing in common are replaced as a whole', () => {
  const numbers = (from: number) =>
    `${Array.from({ length: 100_000 }, (_, index) => from + index).join('\n')}\n`;
  const hunks = unifiedHunks(`head\n${numbers(0)}tail\n`, `head\n${numbers(1_000_000)}tail\n`);
  const lines = hunks.split('\n');
  expect(lines.slice(0, 3)).toEqual(['@@ -1,100002 +1,100002 @@', ' head', '-0']);
  expect(lines.slice(100_001, 100_004)).toEqual(['-99999', '+1000000', '+1000001']);
  expect(lines.slice(-3)).toEqual(['+1099999', ' tail', '']);
});

test('values that share a budget are replaced as a whole when it is spent', () => {
  const [a, b] = ['1\nsame\n2\n', 'one\nsame\ntwo\n'];
  const budget = { steps: 8 };
  expect(unifiedHunks(a, b, budget)).toBe('@@ -1,3 +1,3 @@\n-1\n+one\n same\n-2\n+two\n');
  expect(budget).toEqual({ steps: 0 });
  expect(unifiedHunks(a, b, budget)).toBe('@@ -1,3 +1,3 @@\n-1\n-same\n-2\n+one\n+same\n+two\n');
  expect(unifiedHunks(a, `${a}3\n`, budget)).toBe('@@ -1,3 +1,4 @@\n 1\n same\n 2\n+3\n');
});

test('two texts of a million short lines are replaced as a whole, and the lines around them stay', () => {
  const [a, b] = ['a\n\n'.repeat(250_000), '\nb\n'.repeat(250_000)];
  const hunks = unifiedHunks(`1\n2\n3\n4\n${a}5\n6\n7\n8\n`, `1\n2\n3\n4\n${b}5\n6\n7\n8\n`);
  const lines = hunks.split('\n');
  expect(lines.slice(0, 5)).toEqual(['@@ -2,500006 +2,500006 @@', ' 2', ' 3', ' 4', '-a']);
  expect(lines.slice(-5)).toEqual(['+b', ' 5', ' 6', ' 7', '']);
  expect(apply(`1\n2\n3\n4\n${a}5\n6\n7\n8\n`, hunks) === `1\n2\n3\n4\n${b}5\n6\n7\n8\n`).toBe(true);
});

function longestCommon(a: readonly string[], b: readonly string[]): number {
  const [first, ...rest] = a;
  if (first === undefined) return 0;
  const at = b.indexOf(first);
  const without = longestCommon(rest, b);
  return at < 0 ? without : Math.max(without, 1 + longestCommon(rest, b.slice(at + 1)));
}

/** Applies hunks as `patch` does. */
function apply(a: string, hunks: string): string {
  const old = a.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const out: string[] = [];
  let at = 0;
  for (const [, start = '', count = '', body = ''] of hunks.matchAll(
    /^@@ -(\d+),(\d+) \+\d+,\d+ @@\n((?:[ +\-\\].*\n)*)/gm,
  )) {
    const from = Number(count) === 0 ? Number(start) : Number(start) - 1;
    out.push(...old.slice(at, from));
    at = from + Number(count);
    for (const [, mark, content = ''] of body
      .replace(/\n\\ No newline at end of file\n/g, '\0\n')
      .matchAll(/^([ +-])(.*)\n/gm))
      if (mark !== '-') out.push(content.endsWith('\0') ? content.slice(0, -1) : `${content}\n`);
  }
  return [...out, ...old.slice(at)].join('');
}
