import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { leftOut, waitsFor } from './left-out.ts';

const root = path.resolve(import.meta.dirname, '../..');

test.each(leftOut)('what is left out exists: $file, which needs $needs', ({ file, tests = [] }) => {
  const text = readFileSync(path.join(root, `packages/${file}.cluster.test.ts`), 'utf8');
  for (const each of tests) expect(text).toContain(each);
});

test('of a file that is listed with some of its tests, the others run', () => {
  const at = (file: string) => path.join(root, `packages/${file}.cluster.test.ts`);
  expect(waitsFor(at('kube/test/events'), 'a test that is not listed')).toBeUndefined();
  expect(waitsFor(at('trimtab/test/stories/blame'), 'an exhausted quota')).toBeUndefined();
});
