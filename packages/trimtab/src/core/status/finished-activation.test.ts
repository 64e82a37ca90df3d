import { expect, test } from 'vitest';
import type { ConfigRolloutStatus } from '../../api/config-rollout.ts';
import { finishedActivation } from './finished-activation.ts';

const versions = { version: '1.0.0', object: 'foo-a' };
const next = { version: '1.0.1', object: 'foo-b' };
const since = '2026-01-01T00:00:00Z';
const current = { ...versions, since };
const target = {
  ...next,
  activation: 'abc-1',
  members: ['ConfigMap/bar', 'ConfigMap/foo'],
  startedAt: '2026-01-01T00:00:10Z',
};
const moving: ConfigRolloutStatus = { current, target };
const ended = (result: string, rest: ConfigRolloutStatus = {}): ConfigRolloutStatus => ({
  current,
  history: [
    { version: '1.0.1', result, startedAt: target.startedAt, finishedAt: '2026-01-01T00:00:25Z' },
    { version: '1.0.0', result: 'RolledBack', startedAt: since, finishedAt: since },
  ],
  ...rest,
});

test.each([
  ['Current', 'current'],
  ['RolledBack', 'rolled_back'],
  ['Superseded', 'superseded'],
])('an activation that ends as %s is counted as %s, with the time it took', (result, counted) => {
  expect(finishedActivation('ConfigMap/bar', moving, ended(result))).toEqual({
    result: counted,
    seconds: 15,
  });
});

test('of two configs that were released together, one is counted', () => {
  expect(finishedActivation('ConfigMap/foo', moving, ended('Current'))).toBeUndefined();
});

test('an activation that goes on is not counted, whatever else is written', () => {
  expect(finishedActivation('ConfigMap/bar', moving, { ...moving, phase: 'RollingBack' })).toBeUndefined();
});

test('one that takes the place of another ends the other', () => {
  const superseded = ended('Superseded', { target: { ...target, activation: 'abc-2' } });
  expect(finishedActivation('ConfigMap/bar', moving, superseded)?.result).toBe('superseded');
});

test('the first version of a config is no activation; one without workloads is, and takes no time', () => {
  expect(finishedActivation('ConfigMap/bar', undefined, { current })).toBeUndefined();
  expect(finishedActivation('ConfigMap/bar', { current }, { current })).toBeUndefined();
  const done = { current: { ...next, since } };
  expect(finishedActivation('ConfigMap/bar', { current }, done)).toEqual({ result: 'current', seconds: 0 });
});

test('a clock that was set back makes no negative time', () => {
  const early = ended('Current', {
    history: [{ version: '1.0.1', result: 'Current', startedAt: target.startedAt, finishedAt: since }],
  });
  expect(finishedActivation('ConfigMap/bar', moving, early)?.seconds).toBe(0);
});
