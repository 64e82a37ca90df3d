import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { leftToCi } from './left-to-ci.ts';

test.each(leftToCi)('%s is there', (file) => {
  expect(existsSync(join(import.meta.dirname, '../..', file))).toBe(true);
});
