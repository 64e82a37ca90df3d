import { expect, test } from 'vitest';
import {
  condition,
  currentVersion,
  objectOf,
  rolloutInState,
  targetVersion,
  workload,
} from '../../test/support/rollout-in-state.ts';
import { podInState } from '../../test/support/tree-pod.ts';
import { annotations } from '../api/names.ts';
import { versionObjectName } from '../core/version/object-names.ts';
import { rolloutTree } from './rollout-tree.ts';
import { versionNames } from './version-names.ts';

const moving = {
  ...currentVersion('1.0.2'),
  ...targetVersion('1.0.3', { by: 'anna' }),
  phase: 'BeingCurrent' as const,
};

test('the form for programs is stable', () => {
  const rollout = rolloutInState({
    ...moving,
    workloads: [workload('web', 'Healthy', [1, 1])],
    conditions: [condition('Progressing', 'True', 'BeingCurrent', 'Rolling out version 1.0.3')],
  });
  const pods = [podInState('web-7f9c-aaaaa', { version: '1.0.3', readySince: '2026-01-01T12:00:08Z' })];
  expect(rolloutTree({ rollout, waves: new Map([['Deployment/web', 1]]), pods })).toEqual({
    apiVersion: 'trimtab.dev/v1alpha1',
    kind: 'RolloutTree',
    metadata: { name: 'configmap-foo', namespace: 'shop' },
    config: { kind: 'ConfigMap', name: 'foo' },
    release: 'Auto',
    paused: false,
    state: 'Baking',
    health: 'busy',
    words: 'baking',
    text: 'Version 1.0.3 is healthy; it becomes current after a bake time of 10 s',
    current: { version: '1.0.2', since: '2026-01-01T10:00:00Z' },
    target: {
      version: '1.0.3',
      activation: 'a-1.0.3',
      startedAt: '2026-01-01T12:00:00Z',
      by: 'anna',
      together: [],
    },
    bake: { seconds: 10, healthySince: '2026-01-01T12:00:08Z' },
    pods: { updated: 1, total: 1 },
    workloads: [
      {
        ...{ kind: 'Deployment', name: 'web', mode: 'recycle', wave: 1, state: 'Healthy' },
        ...{ health: 'good', words: 'healthy', updated: 1, total: 1 },
        pods: [
          {
            ...{ name: 'web-7f9c-aaaaa', version: '1.0.3', ready: true, restarts: 0, terminating: false },
            ...{ health: 'good', words: 'Ready', createdAt: '2026-01-01T11:00:00Z' },
          },
        ],
      },
    ],
    others: [],
    notes: [],
  });
});

test('a reloaded pod runs what its agent has reported, and shows a refusal', () => {
  const rollout = rolloutInState({
    ...moving,
    workloads: [workload('web', 'Progressing', [1, 2], { mode: 'Reload' })],
  });
  const pods = [podInState('web-7f9c-aaaaa'), podInState('web-7f9c-bbbbb')];
  const runs = (version: string) => [{ config: 'ConfigMap/foo', object: objectOf(version) }];
  const refused = [{ config: 'ConfigMap/foo', object: objectOf('1.0.3'), reason: 'no such color' }];
  const reports = new Map([
    ['web-7f9c-aaaaa', { name: 'web-7f9c-aaaaa', uid: 'web-7f9c-aaaaa', sequence: 1, runs: runs('1.0.3') }],
    [
      'web-7f9c-bbbbb',
      { name: 'web-7f9c-bbbbb', uid: 'web-7f9c-bbbbb', sequence: 1, runs: runs('1.0.2'), refused },
    ],
  ]);
  const tree = rolloutTree({ rollout, waves: new Map(), pods, reports });
  expect(tree.workloads[0]?.pods).toMatchObject([
    { name: 'web-7f9c-aaaaa', version: '1.0.3', words: 'Ready' },
    {
      ...{ name: 'web-7f9c-bbbbb', version: '1.0.2', words: 'refused', health: 'bad' },
      problem: 'the application refused the version: no such color',
    },
  ]);
});

test('the bake time that a rollback skips is 0', () => {
  const rollout = rolloutInState(
    { ...moving, workloads: [workload('web', 'Healthy', [1, 1])] },
    {
      spec: { version: '1.0.3' },
      annotations: { [annotations.requestId]: 'r1', [annotations.skipBake]: 'r1' },
    },
  );
  expect(rolloutTree({ rollout, waves: new Map(), pods: [] }).bake).toEqual({ seconds: 0 });
});

test('a request that the controller has not seen is shown, also before its activation starts', () => {
  const rollout = rolloutInState(
    { ...currentVersion('1.0.2'), phase: 'Current', observed: { generation: 2 } },
    { spec: { version: '1.0.3' } },
  );
  expect(rolloutTree({ rollout, waves: new Map(), pods: [] })).toMatchObject({
    state: 'Requested',
    text: 'Version 1.0.3 is requested; the controller has not started its activation yet',
  });
});

test('names of versions are derived from the rollout, without listing versions', () => {
  const rollout = rolloutInState({
    ...moving,
    history: [{ version: '1.0.1', result: 'Current', startedAt: '' }],
  });
  const object = versionObjectName('foo', 'rollout-uid', '1.0.1');
  expect(versionNames(rollout).get(object)).toBe('1.0.1');
  expect(versionNames(rollout).get(objectOf('1.0.3'))).toBe('1.0.3');
});
