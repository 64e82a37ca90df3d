import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { metricsReference } from './metrics.ts';

const root = path.resolve(import.meta.dirname, '../..');

test('a person who reads the reference finds every metric that the code registers', () => {
  const files = globSync('packages/*/src/**/*.ts', { cwd: root }).filter(
    (file) => !file.endsWith('.test.ts'),
  );
  const names = files.flatMap((file) =>
    [...readFileSync(path.join(root, file), 'utf8').matchAll(/'((?:trimtab|process)_[a-z0-9_]+)'/g)].map(
      ([, name = '']) => name,
    ),
  );
  expect(names.length).toBeGreaterThan(20);
  const reference = metricsReference();
  expect(names.filter((name) => !reference.includes(`| \`${name}\` |`))).toEqual([]);
});
