import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { longFiles } from './longest-first.ts';

test.each(longFiles)('%s is there', (file) => {
  expect(existsSync(join(import.meta.dirname, '../..', file))).toBe(true);
});
