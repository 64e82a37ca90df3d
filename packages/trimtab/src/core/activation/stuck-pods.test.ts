import { expect, test } from 'vitest';
import { assignmentHash } from '../references/assignment.ts';
import type { ConfigKey } from '../references/config-key.ts';
import type { ObservedWorkload } from '../workload/observed.ts';
import { planGroup } from './plan-group.ts';
import type { WorkloadPod, WorkloadState } from './types.ts';

const foo: ConfigKey = 'ConfigMap/foo';
const refs = (object: string) => new Map([[foo, object]]);

const set: ObservedWorkload = {
  kind: 'StatefulSet',
  generation: 2,
  observedGeneration: 2,
  desired: 2,
  replicas: 2,
  updated: 1,
  ready: 1,
  available: 1,
  strategy: 'RollingUpdate',
  partition: 0,
  rolledOut: false,
  stalled: false,
  paused: false,
};

const pod = (name: string, object: string, mods: Partial<WorkloadPod> = {}): WorkloadPod => ({
  name,
  uid: name,
  ready: false,
  terminating: false,
  containers: [{ name: 'app', restarts: 0, hasLivenessProbe: false }],
  references: refs(object),
  ...mods,
});
const crashing = {
  containers: [
    { name: 'app', restarts: 3, hasLivenessProbe: false, waiting: { reason: 'CrashLoopBackOff' } },
  ],
};

/** The pods that are deleted while no activation touches the StatefulSet. */
function deleted(pods: WorkloadPod[], observed: Partial<ObservedWorkload> = {}): string[] {
  const workload: WorkloadState = {
    key: 'StatefulSet/db',
    wave: 0,
    references: refs('foo-1'),
    current: refs('foo-1'),
    assignment: 'ours',
    label: assignmentHash(refs('foo-1')),
    record: undefined,
    templateHash: 't',
    observed: { ...set, ...observed },
    pods,
  };
  const { repairs: commands } = planGroup([], [workload], new Map(), 0, () => 'a-1');
  return commands.flatMap((command) => (command.do === 'delete pod' ? command.pod : []));
}

test('a pod that is stuck on a version that nobody wants any more is deleted', () => {
  expect(deleted([pod('db-1', 'foo-2'), pod('db-0', 'foo-1')])).toEqual(['db-1']);
  expect(deleted([pod('db-1', 'foo-2', { ready: true })])).toEqual([]);
});

test('a pod of a manifest that was applied again names the config itself: it is deleted if it fails', () => {
  expect(deleted([pod('db-1', 'foo', crashing)])).toEqual(['db-1']);
  expect(deleted([pod('db-1', 'foo')])).toEqual([]);
});

test('nothing is deleted below the partition, under OnDelete, or before the new template was observed', () => {
  const stuck = [pod('db-1', 'foo-2'), pod('db-0', 'foo', crashing)];
  expect(deleted(stuck, { partition: 1 })).toEqual(['db-1']);
  expect(deleted(stuck, { strategy: 'OnDelete' })).toEqual([]);
  expect(deleted(stuck, { generation: 3 })).toEqual([]);
});
