import { expect, test } from 'vitest';
import type { ConfigRollout } from '../api/config-rollout.ts';
import { activationHistory } from './activation-history.ts';

const now = Date.parse('2026-01-01T01:00:30Z');
const done = {
  version: '1.0.1',
  result: 'Current',
  startedAt: '2026-01-01T00:00:00Z',
  finishedAt: '2026-01-01T00:00:12Z',
  by: 'anna',
};
const of = (status: object) => activationHistory({ status } as unknown as ConfigRollout, now).items;

test('an activation that runs is at the top, with its time so far', () => {
  const target = {
    version: '1.0.2',
    object: 'foo-x',
    startedAt: '2026-01-01T01:00:00Z',
    reason: 'the config was edited',
  };
  expect(of({ phase: 'BeingCurrent', target, history: [done] })).toEqual([
    {
      version: '1.0.2',
      result: 'BeingCurrent',
      startedAt: '2026-01-01T01:00:00Z',
      reason: 'the config was edited',
      durationSeconds: 30,
    },
    { ...done, durationSeconds: 12 },
  ]);
});

test('an unmanaged config has no activations', () => {
  expect(activationHistory(undefined, now).items).toEqual([]);
});

test('a damaged time is not a negative duration', () => {
  expect(of({ history: [{ ...done, startedAt: 'x' }] })).toMatchObject([{ durationSeconds: 0 }]);
  expect(of({ history: [{ ...done, startedAt: '2027-01-01T00:00:00Z' }] })).toMatchObject([
    { durationSeconds: 0 },
  ]);
});
