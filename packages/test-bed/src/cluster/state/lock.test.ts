import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withLock } from './lock.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lock-'));
  file = join(folder, 'bed.lock');
});
afterEach(() => rmSync(folder, { recursive: true }));

test('one at a time, and the waiting one is told by whom', async () => {
  const events: string[] = [];
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  const first = withLock(file, async () => {
    events.push('first begins');
    await mayEnd;
    events.push('first ends');
  });
  const second = withLock(
    file,
    async () => {
      events.push('second begins');
    },
    (pid) => {
      events.push(`second waits for ${pid}`);
      end();
    },
  );
  await Promise.all([first, second]);
  expect(events).toEqual(['first begins', `second waits for ${process.pid}`, 'first ends', 'second begins']);
  expect(existsSync(file)).toBe(false);
});

test('the lock of a process that was killed is taken over', async () => {
  writeFileSync(file, JSON.stringify({ pid: process.pid, since: 'an earlier boot 1' }));
  expect(await withLock(file, async () => 'mine')).toBe('mine');
});

test('work that fails leaves no lock', async () => {
  await expect(withLock(file, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(existsSync(file)).toBe(false);
});
