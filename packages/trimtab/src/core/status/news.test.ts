import { expect, test } from 'vitest';
import type { ConfigRolloutStatus } from '../../api/config-rollout.ts';
import { newsOf } from './news.ts';

const since = '2026-01-01T00:00:00Z';
const version = (name: string) => ({ version: name, object: `foo-${name}`, contentHash: name });
const current = { ...version('1'), since };
const target = { ...version('2'), activation: 'act-1', members: ['ConfigMap/foo'], startedAt: since };
const condition = (type: string, status: 'True' | 'False', reason: string) => ({
  ...{ type, status, reason },
  message: `Deployment web was set: ${reason}`,
  lastTransitionTime: since,
});
const web = (state: string) => ({
  ...{ kind: 'Deployment', name: 'web', mode: 'Recycle' as const, updated: 0, total: 1 },
  state,
  message: 'why',
});

const resting: ConfigRolloutStatus = { phase: 'Current', current, workloads: [web('Healthy')] };
const moving: ConfigRolloutStatus = { ...resting, phase: 'BeingCurrent', target };
const failing: ConfigRolloutStatus = {
  ...moving,
  phase: 'RollingBack',
  conditions: [condition('Degraded', 'True', 'CrashLoopBackOff')],
};
const failed: ConfigRolloutStatus = {
  ...resting,
  phase: 'Failed',
  conditions: [condition('Degraded', 'True', 'Rejected')],
};
const parked: ConfigRolloutStatus = {
  ...moving,
  phase: 'Parked',
  workloads: [web('ScaledToZero')],
  conditions: [condition('Ready', 'False', 'ScaledToZero')],
};
const pinned: ConfigRolloutStatus = { ...resting, workloads: [web('Pinned')] };
const rejectedPin = { ...pinned, conditions: [condition('Degraded', 'True', 'PinnedToRejected')] };

const told = (before: ConfigRolloutStatus | undefined, after: ConfigRolloutStatus) =>
  newsOf(before, after, 'Deployment/web').map(
    ({ type, reason, onConfig, workload }) =>
      `${type} ${reason}${onConfig ? ' config' : ''}${workload === undefined ? '' : ` ${workload}`}`,
  );

test('what was denied is also told on the workload that it names', () => {
  const [condition] = failing.conditions ?? [];
  const message = 'Deployment web: denied by a policy';
  const denied = { ...moving, conditions: [{ ...condition, reason: 'UpdateDenied', message }] };
  const [news] = newsOf(moving, denied as ConfigRolloutStatus, undefined);
  expect(news).toMatchObject({ reason: 'UpdateDenied', workload: 'Deployment/web' });
});

test.each<[string, ConfigRolloutStatus | undefined, ConfigRolloutStatus, string[]]>([
  ['begins', resting, moving, ['Normal ActivationStarted']],
  [
    'is released',
    moving,
    { ...resting, current: { ...version('2'), since } },
    ['Normal VersionCurrent config'],
  ],
  ['fails', moving, failing, ['Warning CrashLoopBackOff config Deployment/web']],
  ['is rolled back', failing, failed, ['Warning RolledBack config']],
  ['waits', moving, parked, ['Warning ScaledToZero config Deployment/web']],
  ['is pinned', resting, pinned, ['Warning Pinned Deployment/web']],
  ['leaves and stays pinned', { ...moving, workloads: [web('Left')] }, pinned, []],
  ['is pinned to what was rejected, which is recorded with the pin', resting, rejectedPin, []],
  ['stays as it is', failed, failed, []],
])('%s: told once, where people look', (_, before, after, expected) => {
  expect(told(before, after)).toEqual(expected);
});
