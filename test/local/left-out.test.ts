import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { leftOut, onBoth, waitsFor } from './left-out.ts';

const root = path.resolve(import.meta.dirname, '../..');

test.each(leftOut)('what is left out exists: $file, which needs $needs', ({ file, tests = [] }) => {
  const found = globSync(onBoth, { cwd: root });
  const name = `test/${file}.level1.test.ts`;
  expect(found).toContain(name);
  const text = readFileSync(path.join(root, name), 'utf8');
  for (const each of tests) expect(text).toContain(each);
});

test('of a file that is listed with some of its tests, the others run', () => {
  const file = path.join(root, 'test/e2e/blame.level1.test.ts');
  const noRoom =
    'a pod that no node takes is not the content’s fault, and the rollout goes on when there is room';
  expect(waitsFor(file, noRoom)).toBe('anti-affinity');
  expect(waitsFor(file, 'an image that cannot be pulled is not the content’s fault')).toBeUndefined();
});
