import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { allowReading } from './folder-mode.ts';

test.each([
  [0o700, 0o755],
  [0o2770, 0o2755],
])('a folder with mode %o gets mode %o', (before, after) => {
  const folder = mkdtempSync(join(tmpdir(), 'test-folder-mode-'));
  chmodSync(folder, before);
  allowReading(folder);
  expect(statSync(folder).mode & 0o7777).toBe(after);
  rmSync(folder, { recursive: true });
});
