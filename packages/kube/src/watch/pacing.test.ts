import { expect, test } from 'vitest';
import type { Move } from './next-move.ts';
import { Pacing } from './pacing.ts';

const failure: Move = { next: 'resume', wait: 'failure' };
const distrust: Move = { next: 'relist', wait: 'distrust' };
const limits = { initialMs: 100, maxMs: 1_000 };
const noJitter = () => 1;

test('waits double up to the limit and start anew once a stream works', () => {
  const pacing = new Pacing(limits, noJitter);
  expect([1, 2, 3, 4, 5, 6].map(() => pacing.waitMs(failure, 0))).toEqual([100, 200, 400, 800, 1000, 1000]);
  pacing.recovered();
  expect(pacing.waitMs(failure, 0)).toBe(100);
});

test('a working stream does not end distrust, five quiet minutes do', () => {
  const pacing = new Pacing(limits, noJitter);
  expect(pacing.waitMs(distrust, 1_000)).toBe(100);
  pacing.recovered();
  expect(pacing.waitMs(distrust, 2_000)).toBe(200);
  expect(pacing.waitMs(distrust, 400_000)).toBe(100);
});

test('jitter takes away up to a half', () => {
  expect(new Pacing(limits, () => 0).waitMs(failure, 0)).toBe(50);
});

test('what the server asks for is the least', () => {
  const pacing = new Pacing(limits, noJitter);
  expect(pacing.waitMs(failure, 0, 7)).toBe(7_000);
  expect(pacing.waitMs({ next: 'resume', wait: 'none' }, 0)).toBe(0);
});

test('what the server asks for has a limit, if there is one', () => {
  const pacing = new Pacing({ ...limits, maxRetryAfterMs: 1_500 }, noJitter);
  expect(pacing.waitMs(failure, 0, 60)).toBe(1_500);
  expect(pacing.waitMs(distrust, 0, 1)).toBe(1_000);
});
