import { expect, test } from 'vitest';
import type { ConfigRolloutStatus } from '../../api/config-rollout.ts';
import { newProblem, transitions } from './transitions.ts';

const since = '2026-01-01T00:00:00Z';

function current(version: string) {
  return { version, object: `foo-${version}`, since };
}

function target(version: string, activation = 'act-1') {
  return {
    ...{ version, object: `foo-${version}` },
    ...{ activation, members: ['ConfigMap/foo'], startedAt: since },
  };
}

function degraded(message: string | undefined) {
  return [
    {
      type: 'Degraded',
      status: message === undefined ? ('False' as const) : ('True' as const),
      reason: message === undefined ? 'AsExpected' : 'CrashLoopBackOff',
      message: message ?? '',
      lastTransitionTime: since,
    },
  ];
}

const resting: ConfigRolloutStatus = { phase: 'Current', current: current('1') };
const moving: ConfigRolloutStatus = { phase: 'BeingCurrent', current: current('1'), target: target('2') };
const rollingBack: ConfigRolloutStatus = { ...moving, phase: 'RollingBack' };

test.each<[string, ConfigRolloutStatus | undefined, ConfigRolloutStatus, unknown[]]>([
  ['the first version is current', undefined, resting, [{ reason: 'VersionCurrent', version: '1' }]],
  [
    'an activation starts',
    resting,
    moving,
    [{ reason: 'ActivationStarted', version: '2', activation: 'act-1' }],
  ],
  ['an activation goes on', moving, { ...moving, updated: '1/2' }, []],
  [
    'an activation is superseded',
    moving,
    { ...moving, target: target('3', 'act-2') },
    [{ reason: 'ActivationStarted', version: '3', activation: 'act-2' }],
  ],
  [
    'its version becomes current',
    moving,
    { phase: 'Current', current: current('2') },
    [{ reason: 'VersionCurrent', version: '2', activation: 'act-1' }],
  ],
  ['it begins to roll back', moving, rollingBack, []],
  [
    'it is rolled back',
    rollingBack,
    { phase: 'Failed', current: current('1') },
    [{ reason: 'RolledBack', version: '2', activation: 'act-1' }],
  ],
  [
    'it is rolled back after a write that was denied',
    { ...rollingBack, phase: 'RollbackFailed' },
    { phase: 'Failed', current: current('1') },
    [{ reason: 'RolledBack', version: '2', activation: 'act-1' }],
  ],
  [
    'the failure stays',
    { phase: 'Failed', current: current('1') },
    { phase: 'Failed', current: current('1') },
    [],
  ],
])('%s', (_, before, after, expected) => {
  expect(transitions(before, after)).toMatchObject(expected);
  expect(transitions(before, after)).toHaveLength(expected.length);
});

test('a problem is new with its reason or with another activation, and not with another pod', () => {
  const failing = { ...moving, conditions: degraded('pod web-1 crashed') };
  expect(newProblem(moving, failing)?.message).toBe('pod web-1 crashed');
  expect(newProblem(failing, { ...moving, conditions: degraded('pod web-2 crashed') })).toBeUndefined();
  const next = { ...failing, target: { ...moving.target, activation: 'act-2' } } as ConfigRolloutStatus;
  expect(newProblem(failing, next)?.message).toBe('pod web-1 crashed');
  expect(newProblem(failing, { ...moving, conditions: degraded(undefined) })).toBeUndefined();
});
