import { globSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { faultsOnBoth, namesInNpmTest } from './fault-runs.ts';

const root = path.resolve(import.meta.dirname, '../..');
const random = 'test/e2e/faults/random.faults.test.ts';

test('every family of fault runs but the random ones is for both engines', () => {
  const found = globSync('test/e2e/faults/*.faults.test.ts', { cwd: root });
  expect(found.filter((file) => file !== random).toSorted()).toEqual(faultsOnBoth.toSorted());
});

test.each(faultsOnBoth)('npm test has something of %s', (file) => {
  expect(namesInNpmTest(file)).not.toEqual([]);
});
