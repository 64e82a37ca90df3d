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
  const file = path.join(root, 'test/contract/events.level1.test.ts');
  expect(waitsFor(file, 'a test that is not listed')).toBeUndefined();
  expect(waitsFor(path.join(root, 'test/e2e/blame.level1.test.ts'), 'an exhausted quota')).toBeUndefined();
});
