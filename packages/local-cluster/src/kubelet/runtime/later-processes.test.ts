import { spawn } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { highestPid, lowestDescendant, processesSoFar } from './later-processes.ts';

it.each([
  ['the usual', 500, 1_000, 2_000, 501],
  ['numbers that may have begun anew', 500, 1_000, 40_000, 0],
  ['a system that counts nothing', 500, undefined, 2_000, 0],
])(
  'what a process has left behind is looked for by %s',
  (_, pid, processesBefore, processesNow, expected) => {
    expect(lowestDescendant({ pid, processesBefore }, { processesNow, highestPid: 32_768 })).toBe(expected);
  },
);

it('no descendant is overlooked, however many processes have come in between', () => {
  const numbers = fc.record({
    highest: fc.integer({ min: 310, max: 400 }),
    start: fc.integer({ min: 300, max: 399 }),
    others: fc.array(fc.boolean(), { maxLength: 300 }),
  });
  fc.assert(
    fc.property(numbers, ({ highest, start, others }) => {
      // The kernel assigns PIDs up to the maximum and then continues from 300.
      const next = (pid: number) => (pid + 1 < highest ? pid + 1 : 300);
      const pid = Math.min(start, highest - 1);
      const descendants: number[] = [];
      let last = pid;
      for (const isOurs of others) {
        last = next(last);
        if (isOurs && last !== pid) descendants.push(last);
      }
      const lowest = lowestDescendant(
        { pid, processesBefore: 7 },
        { processesNow: 8 + others.length, highestPid: highest },
      );
      expect(descendants.filter((each) => each < lowest)).toEqual([]);
    }),
  );
});

it.runIf(process.platform === 'linux')('this system counts its processes', () => {
  const before = processesSoFar() ?? Number.POSITIVE_INFINITY;
  spawn('true').unref();
  expect(processesSoFar()).toBeGreaterThan(before);
  expect(highestPid()).toBeGreaterThan(process.pid);
});
