import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { isOwnChild, trackChild } from './own-children.ts';

test('a child is an own child from its start to its end', async () => {
  const child = spawn('cat', { stdio: ['pipe', 'ignore', 'ignore'] });
  const pid = child.pid ?? 0;
  expect(isOwnChild(pid)).toBe(false);
  trackChild(child);
  expect(isOwnChild(pid)).toBe(true);
  child.stdin?.end();
  await once(child, 'exit');
  expect(isOwnChild(pid)).toBe(false);
});

test('a program that does not exist has no process', async () => {
  const child = spawn('/no/such/program');
  const failed = once(child, 'error');
  trackChild(child);
  await failed;
  expect(isOwnChild(0)).toBe(false);
});
