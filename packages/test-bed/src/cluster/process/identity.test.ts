import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { identify, isAlive, signal, startTicks } from './identity.ts';

const statOf = (command: string, state: string, ticks: number) =>
  `7 (${command}) ${state} ${Array.from({ length: 18 }, (_, index) => index).join(' ')} ${ticks} 0 0\n`;

test('the start time is found whatever the command is called', () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(), (command, ticks) => {
      expect(startTicks(statOf(command, 'S', ticks))).toBe(String(ticks));
    }),
  );
});

test('a zombie has ended', () => {
  expect(startTicks(statOf('sh', 'Z', 5))).toBeUndefined();
});

test('this process is alive, and stays the same', () => {
  const self = identify(process.pid);
  expect(self).toBeDefined();
  expect(identify(process.pid)).toEqual(self);
  expect(self && isAlive(self)).toBe(true);
});

test('another process with the same number is not meant', () => {
  const earlier = { pid: process.pid, since: 'an earlier boot 1' };
  expect(isAlive(earlier)).toBe(false);
  // The signal would kill this test if it were sent.
  signal(earlier, 'SIGKILL');
});

test('a killed process is not alive', async () => {
  const child = spawn('sleep', ['60']);
  await once(child, 'spawn');
  const identity = identify(child.pid ?? 0);
  expect(identity).toBeDefined();
  if (identity) signal(identity, 'SIGKILL');
  await once(child, 'exit');
  expect(identity && isAlive(identity)).toBe(false);
});
