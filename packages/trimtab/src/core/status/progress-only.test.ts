import { expect, test } from 'vitest';
import type { ConfigRolloutStatus } from '../../api/config-rollout.ts';
import { isProgressOnly } from './progress-only.ts';

const since = '2026-01-01T00:00:00Z';
const version = (name: string) => ({ version: name, object: `foo-${name}` });
const web = {
  kind: 'Deployment',
  name: 'web',
  mode: 'Recycle',
  state: 'Pending',
  updated: 0,
  total: 2,
} as const;
const ready = {
  ...{ type: 'Ready', status: 'False' as const, reason: 'RollingOut', message: '0 of 2 pods' },
  lastTransitionTime: since,
} as const;
const moving: ConfigRolloutStatus = {
  phase: 'BeingCurrent',
  observed: { liveResourceVersion: '7' },
  current: { ...version('1'), since },
  target: { ...version('2'), activation: 'a-1', members: ['ConfigMap/foo'], startedAt: since },
  updated: '0/2',
  workloads: [web],
  conditions: [ready],
};

test.each<[string, boolean, ConfigRolloutStatus]>([
  [
    'more pods are updated',
    true,
    {
      ...moving,
      updated: '1/2',
      workloads: [{ ...web, state: 'Progressing', updated: 1, message: '1 of 2' }],
      conditions: [{ ...ready, message: '1 of 2 pods' }],
    },
  ],
  ['the workload is healthy', true, { ...moving, workloads: [{ ...web, state: 'Healthy' }] }],
  ['the workload has failed', false, { ...moving, workloads: [{ ...web, state: 'Failed' }] }],
  ['the workload waits', false, { ...moving, workloads: [{ ...web, state: 'WaitingForDelete' }] }],
  ['the reason has changed', false, { ...moving, conditions: [{ ...ready, reason: 'Paused' }] }],
  ['another edit was observed', false, { ...moving, observed: { liveResourceVersion: '8' } }],
  ['the phase has changed', false, { ...moving, phase: 'RollingBack' }],
  ['a workload was added', false, { ...moving, workloads: [web, { ...web, name: 'worker' }] }],
])('%s: %s', (_, expected, after) => {
  expect(isProgressOnly(moving, after)).toBe(expected);
});

test('a status at rest is written at once', () => {
  const { target: _, ...resting } = moving;
  expect(isProgressOnly(resting, { ...resting, updated: '1/2' })).toBe(false);
  expect(isProgressOnly(undefined, moving)).toBe(false);
});
