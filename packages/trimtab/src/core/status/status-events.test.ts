import { expect, test } from 'vitest';
import type { ConfigRolloutStatus } from '../../api/config-rollout.ts';
import { statusEvents } from './status-events.ts';

const since = '2026-01-01T00:00:00Z';
const version = (name: string) => ({ version: name, object: `foo-${name}` });
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
const aborting: ConfigRolloutStatus = {
  ...failing,
  conditions: [condition('Degraded', 'True', 'Aborted')],
};
const aborted: ConfigRolloutStatus = { ...aborting, phase: 'Aborted' };
delete aborted.target;
const parked: ConfigRolloutStatus = {
  ...moving,
  phase: 'Parked',
  workloads: [web('ScaledToZero')],
  conditions: [condition('Ready', 'False', 'ScaledToZero')],
};
const scaled: ConfigRolloutStatus = { ...moving, workloads: [web('ScaledToZero')] };
const unproven: ConfigRolloutStatus = {
  ...parked,
  workloads: [web('NotJudged')],
  conditions: [condition('Ready', 'False', 'FailedBefore')],
};
const waiting = (reason: string): ConfigRolloutStatus => ({
  ...resting,
  conditions: [condition('Ready', 'False', reason)],
});
const paused = (message: string): ConfigRolloutStatus => ({
  ...resting,
  phase: 'Paused',
  conditions: [{ ...condition('Ready', 'False', 'Paused'), message }],
});
const pinned: ConfigRolloutStatus = { ...resting, workloads: [web('Pinned')] };
const rejectedPin = { ...pinned, conditions: [condition('Degraded', 'True', 'PinnedToRejected')] };

const told = (before: ConfigRolloutStatus | undefined, after: ConfigRolloutStatus) =>
  statusEvents(before, after, 'Deployment/web').map(({ type, reason, onConfig, workloads }) =>
    [type, reason, ...(onConfig ? ['config'] : []), ...workloads].join(' '),
  );

test('what was denied is also told on the workload that it names', () => {
  const [condition] = failing.conditions ?? [];
  const message = 'Deployment web: denied by a policy';
  const denied = { ...moving, conditions: [{ ...condition, reason: 'UpdateDenied', message }] };
  const [event] = statusEvents(moving, denied as ConfigRolloutStatus, undefined);
  expect(event).toMatchObject({ reason: 'UpdateDenied', workloads: ['Deployment/web'] });
});

test('the first version is told on the rollout', () => {
  expect(told(undefined, resting)).toEqual(['Normal VersionCurrent']);
});

test.each<[string, ConfigRolloutStatus | undefined, ConfigRolloutStatus, string[]]>([
  ['begins', resting, moving, ['Normal ActivationStarted']],
  ['is released', moving, { ...resting, current: { ...version('2'), since } }, ['Normal VersionCurrent']],
  ['fails', moving, failing, ['Warning CrashLoopBackOff config Deployment/web']],
  ['is rolled back', failing, failed, ['Warning RolledBack config Deployment/web']],
  ['is aborted by a user', aborting, aborted, ['Warning Aborted config Deployment/web']],
  ['is aborted by an undo of all workloads', moving, aborted, ['Warning Aborted config']],
  ['waits', moving, scaled, ['Warning ScaledToZero config Deployment/web']],
  ['parks with what it waited for', scaled, parked, []],
  ['parks at once', moving, parked, ['Warning ScaledToZero config Deployment/web']],
  [
    'parks because its failure proves nothing',
    moving,
    unproven,
    ['Warning FailedBefore config Deployment/web'],
  ],
  [
    'waits at rest',
    resting,
    { ...resting, workloads: [web('WaitingForDelete')] },
    ['Warning WaitingForDelete config Deployment/web'],
  ],
  ['waits for its interval', resting, waiting('WaitingForInterval'), ['Normal WaitingForInterval config']],
  ['still waits', waiting('WaitingForOthers'), waiting('WaitingForOthers'), []],
  ['is paused', resting, paused('1 is current'), ['Normal Paused config']],
  ['waits while it is paused', paused('1 is current'), paused('2 waits'), ['Normal Paused config']],
  ['is paused in the middle', moving, { ...moving, ...paused('1 of 2') }, ['Normal Paused config']],
  ['stays paused in the middle', { ...moving, ...paused('1 of 2') }, { ...moving, ...paused('2 of 2') }, []],
  ['is pinned', resting, pinned, ['Warning Pinned config Deployment/web']],
  [
    'is released without a workload that is pinned',
    { ...pinned, phase: 'BeingCurrent', target },
    { ...pinned, current: { ...version('2'), since } },
    ['Normal VersionCurrent'],
  ],
  ['leaves and stays pinned', { ...moving, workloads: [web('Left')] }, pinned, []],
  ['is pinned to what was rejected, which is recorded with the pin', resting, rejectedPin, []],
  ['stays as it is', failed, failed, []],
])('%s: told once, where people look', (_, before, after, expected) => {
  expect(told(before, after)).toEqual(expected);
});
