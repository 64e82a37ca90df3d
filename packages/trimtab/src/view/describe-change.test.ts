import { expect, test } from 'vitest';
import {
  condition,
  currentVersion,
  finished,
  rolloutInState,
  targetVersion,
  workload,
} from '../../test/support/rollout-in-state.ts';
import type { ConfigRollout, ConfigRolloutStatus } from '../api/config-rollout.ts';
import { describeChange, describeState } from './describe-change.ts';

const rollout = rolloutInState;
const current = currentVersion('1.0.1');
const moving: Partial<ConfigRolloutStatus> = {
  ...current,
  ...targetVersion('1.0.2'),
  phase: 'BeingCurrent',
  workloads: [workload('web', 'Progressing', [0, 3])],
};
const crash =
  "Deployment web: pod web-x, container app: CrashLoopBackOff, exit code 1: colour 'blurple' unknown";
const failing = condition('Degraded', 'True', 'CrashLoopBackOff', `Version 1.0.2 failed on ${crash}`);
const rejected = condition(
  'Degraded',
  'True',
  'Rejected',
  `Version 1.0.2 was rolled back: ${crash}. Edit the config, or set annotation trimtab.dev/retry of the ConfigRollout to a new value to retry`,
);

test.each<[string, ConfigRollout | undefined, ConfigRollout, string[]]>([
  [
    'the first version',
    undefined,
    rollout({ ...currentVersion('1.0.0'), phase: 'Current' }),
    ['shop foo 1.0.0: current'],
  ],
  [
    'an activation begins',
    rollout({ ...current, phase: 'Current' }),
    rollout({ ...moving, ...targetVersion('1.0.2', { by: 'anna' }) }),
    ['shop foo 1.0.2: rolling out to Deployment web, requested by anna'],
  ],
  [
    'an activation of a Secret with many workloads begins',
    rollout({ ...current, phase: 'Current' }),
    rollout(
      { ...moving, workloads: ['a', 'b', 'c', 'd', 'e'].map((name) => workload(name, 'Pending', [0, 1])) },
      { spec: { config: { kind: 'Secret', name: 'bar' } } },
    ),
    ['shop secret/bar 1.0.2: rolling out to Deployment a, Deployment b, Deployment c, 2 more workloads'],
  ],
  [
    'a pod is updated',
    rollout(moving),
    rollout({ ...moving, workloads: [workload('web', 'Progressing', [1, 3])] }),
    ['shop foo 1.0.2: Deployment web: updating, 1 of 3 pods updated'],
  ],
  ['nothing that concerns a user changed', rollout(moving), rollout({ ...moving, updated: '0/3' }), []],
  [
    'all pods are healthy',
    rollout(moving),
    rollout({ ...moving, workloads: [workload('web', 'Healthy', [3, 3])] }),
    [
      'shop foo 1.0.2: Deployment web: healthy, 3 of 3 pods updated',
      'shop foo 1.0.2: healthy, observed for a bake time of 10 s',
    ],
  ],
  [
    'it fails',
    rollout(moving),
    rollout({
      ...moving,
      phase: 'RollingBack',
      workloads: [workload('web', 'Failed', [0, 3]), workload('api', 'Reverting', [0, 1])],
      conditions: [failing],
    }),
    ['shop foo 1.0.2: Deployment api: rolling back', `shop foo 1.0.2: rolling back: ${crash}`],
  ],
  [
    'it is done',
    rollout(moving),
    rollout({ ...currentVersion('1.0.2'), phase: 'Current', history: [finished('1.0.2', 'Current')] }),
    ['shop foo 1.0.2: current after 4 s'],
  ],
  [
    'it is rolled back',
    rollout(moving),
    rollout({
      ...current,
      phase: 'Failed',
      history: [finished('1.0.2', 'RolledBack')],
      conditions: [rejected],
    }),
    [`shop foo 1.0.2: rolled back after 4 s: ${crash}`],
  ],
  [
    'all workloads left',
    rollout(moving),
    rollout({
      ...current,
      phase: 'Aborted',
      history: [finished('1.0.2', 'Aborted')],
      conditions: [
        condition(
          'Degraded',
          'True',
          'Aborted',
          'Version 1.0.2 was aborted: all workloads left the activation. Edit the config, or set annotation trimtab.dev/retry of the ConfigRollout to a new value to retry',
        ),
      ],
    }),
    ['shop foo 1.0.2: aborted after 4 s: all workloads left the activation; version 1.0.1 is current'],
  ],
  [
    'the edit is taken back',
    rollout(moving),
    rollout({ ...current, phase: 'Current', history: [finished('1.0.2', 'Superseded')] }),
    ['shop foo 1.0.2: cancelled after 4 s; version 1.0.1 is current'],
  ],
  [
    'another one takes over',
    rollout(moving),
    rollout({ ...moving, ...targetVersion('1.0.3') }),
    ['shop foo 1.0.3: rolling out to Deployment web'],
  ],
  [
    'it is paused',
    rollout({ ...current, phase: 'Current' }),
    rollout({
      ...current,
      phase: 'Paused',
      conditions: [condition('Progressing', 'False', 'Paused', 'The rollout is paused by spec.paused')],
    }),
    ['shop foo 1.0.1: paused'],
  ],
  [
    'it is resumed',
    rollout({ ...current, phase: 'Paused' }),
    rollout({ ...current, phase: 'Current' }),
    ['shop foo 1.0.1: resumed, current'],
  ],
  [
    'it is parked',
    rollout(moving),
    rollout({
      ...moving,
      phase: 'Parked',
      conditions: [
        condition(
          'Ready',
          'False',
          'ScaledToZero',
          'Version 1.0.2 is parked: Deployment web was scaled to zero',
        ),
      ],
    }),
    ['shop foo 1.0.2: parked: Deployment web was scaled to zero'],
  ],
  [
    'a version without workloads becomes current',
    rollout({ ...current, phase: 'Current' }),
    rollout({ ...currentVersion('1.0.2'), phase: 'Current' }),
    ['shop foo 1.0.2: current'],
  ],
  ['nothing is known', undefined, rollout(), []],
])('%s', (_, before, after, lines) => {
  expect(describeChange(before, after)).toEqual(lines);
});

test('a state is described with the reason', () => {
  const state = rollout({ ...current, phase: 'Failed', conditions: [rejected] });
  expect(describeState(state)).toBe(
    `shop foo 1.0.1: version 1.0.2 was rolled back; version 1.0.1 is current: ${crash}`,
  );
});
