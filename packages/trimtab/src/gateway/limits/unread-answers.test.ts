import { expect, test } from 'vitest';
import { nextProgress, type Progress } from './unread-answers.ts';

const kib = 1024;

function slowChecks(...checks: [taken: number, unsent: number][]): number[] {
  let progress: Progress = { taken: 0, unsent: 0, slowChecks: 0 };
  return checks.map(([taken, unsent]) => {
    progress = nextProgress(progress, { taken, unsent });
    return progress.slowChecks;
  });
}

test('a client that takes nothing, or a few bytes, is slow', () => {
  expect(slowChecks([0, 64 * kib], [0, 64 * kib], [kib, 63 * kib])).toEqual([1, 2, 3]);
});

test('a client that takes enough is not, although bytes wait for it', () => {
  expect(slowChecks([40 * kib, 64 * kib], [80 * kib, 64 * kib], [90 * kib, 64 * kib])).toEqual([0, 0, 1]);
  expect(slowChecks([0, 64 * kib], [64 * kib, 64 * kib])).toEqual([1, 0]);
});

test('a client for which nothing waits is not: the API server has sent no more', () => {
  expect(slowChecks([kib, 0], [kib, 0], [kib, 0])).toEqual([0, 0, 0]);
});
