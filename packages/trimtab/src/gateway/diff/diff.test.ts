import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineDiff } from './line-diff.ts';
import { unifiedHunks } from './unified-diff.ts';

const line = fc.constantFrom('a', 'b', 'c', '', 'x y');
const lines = fc.array(line, { maxLength: 30 });
const text = fc.tuple(lines, fc.boolean()).map(([all, ends]) => all.join('\n') + (ends ? '\n' : ''));

test('a diff keeps what is in both, and applied to the one gives the other', () => {
  fc.assert(
    fc.property(lines, lines, fc.constantFrom(0, 2, 1_000), (a, b, limit) => {
      const edits = lineDiff(a, b, limit);
      expect(edits.flatMap((edit) => ('add' in edit ? [] : Object.values(edit)))).toEqual(a);
      expect(edits.flatMap((edit) => ('remove' in edit ? [] : Object.values(edit)))).toEqual(b);
    }),
    { numRuns: 1_000 },
  );
});

test('a diff is as short as can be', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), fc.array(line, { maxLength: 8 }), (a, b) => {
      const kept = lineDiff(a, b).filter((edit) => 'keep' in edit).length;
      expect(kept).toBe(longestCommon(a, b));
    }),
    { numRuns: 500 },
  );
});

test('the unified text of a diff, applied to the one, gives the other', () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(apply(a, unifiedHunks(a, b))).toBe(b);
    }),
    { numRuns: 1_000 },
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
  const numbers = (from: number) => Array.from({ length: 100_000 }, (_, index) => `${from + index}`);
  expect(lineDiff(numbers(0), numbers(1_000_000))).toHaveLength(200_000);
});

function longestCommon(a: readonly string[], b: readonly string[]): number {
  const [first, ...rest] = a;
  if (first === undefined) return 0;
  const at = b.indexOf(first);
  const without = longestCommon(rest, b);
  return at < 0 ? without : Math.max(without, 1 + longestCommon(rest, b.slice(at + 1)));
}

/** What `patch` does: lines of each hunk in place of those it names. */
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
