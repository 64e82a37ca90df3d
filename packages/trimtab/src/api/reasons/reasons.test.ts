import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { isReason, reasonEntries } from './reasons.ts';
import { statusReasons } from './response-reasons.ts';

const sources = resolve(import.meta.dirname, '../..');
const texts = globSync(['core/**/*.ts', 'controller/**/*.ts'], { cwd: sources })
  .filter((file) => !file.endsWith('.test.ts'))
  .map((file) => readFileSync(join(sources, file), 'utf8'));

test.each(reasonEntries().map(([reason]) => reason))('%s is emitted by the controller', (reason) => {
  expect(texts.some((text) => text.includes(`'${reason}'`))).toBe(true);
});

test.each(reasonEntries())('%s says what happened and what to do', (_, { meaning, remedy }) => {
  expect(meaning).toMatch(/^[A-Z`].*\.$/s);
  expect(remedy).toMatch(/^[A-Z`].*\.$/s);
});

test('only registered reasons are reasons', () => {
  expect(isReason('CrashLoopBackOff')).toBe(true);
  for (const text of ['toString', 'crashLoopBackOff', '']) expect(isReason(text)).toBe(false);
});

test('a refusal has the code that its reason is registered with', () => {
  const files = globSync(['gateway/**/*.ts', 'versions/**/*.ts'], { cwd: sources }).filter(
    (file) => !file.endsWith('.test.ts'),
  );
  const used = files.flatMap((file) =>
    [
      ...readFileSync(join(sources, file), 'utf8').matchAll(
        /new (?:StatusError|Refusal)\(\s*(\d+),\s*'(\w+)'/g,
      ),
    ].map(([, code, reason = '']) => [reason, Number(code)] as const),
  );
  expect(new Set(used.map(([reason]) => reason)).size).toBeGreaterThan(10);
  for (const [reason, code] of used) expect([reason, codeOf(reason)]).toEqual([reason, code]);
});

function codeOf(reason: string): number | undefined {
  return (statusReasons as Record<string, { code: number }>)[reason]?.code;
}
