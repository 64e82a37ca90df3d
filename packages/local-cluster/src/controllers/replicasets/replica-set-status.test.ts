import { expect, test } from 'vitest';
import type { Pod } from '../../objects/pod.ts';
import type { ReplicaSet } from '../../objects/workloads.ts';
import { replicaSetStatus } from './replica-set-status.ts';

const now = Date.parse('2026-01-01T00:01:00Z');
const set = (status?: ReplicaSet['status']): ReplicaSet => ({
  metadata: { name: 'web', generation: 3 },
  spec: {
    replicas: 3,
    minReadySeconds: 30,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web', tier: 'front' } }, spec: { containers: [] } },
  },
  ...(status && { status }),
});
const pod = (readyAt?: string, labels: Record<string, string> = { app: 'web', tier: 'front' }): Pod => ({
  metadata: { name: 'p', labels },
  spec: { containers: [] },
  status: {
    conditions: readyAt ? [{ type: 'Ready', status: 'True', lastTransitionTime: readyAt }] : [],
  },
});

test('pods are counted by what they have reached', () => {
  const active = [pod(), pod('2026-01-01T00:00:40Z'), pod('2026-01-01T00:00:30Z', { app: 'web' })];
  expect(replicaSetStatus(set(), { active, terminating: 2 }, now)).toEqual({
    replicas: 3,
    fullyLabeledReplicas: 2,
    readyReplicas: 2,
    availableReplicas: 1,
    terminatingReplicas: 2,
    observedGeneration: 3,
  });
});

test('what is zero is left out, but for the replicas and those that go', () => {
  expect(replicaSetStatus(set(), { active: [], terminating: 0 }, now)).toEqual({
    replicas: 0,
    terminatingReplicas: 0,
    observedGeneration: 3,
  });
});

test('the status of a ReplicationController does not count terminating pods', () => {
  expect(replicaSetStatus(set(), { active: [], terminating: undefined }, now)).toEqual({
    replicas: 0,
    observedGeneration: 3,
  });
});

test('a failure is told with its first message until it is over', () => {
  const recordEvent = (status: ReplicaSet['status'], message?: string) =>
    replicaSetStatus(
      set(status),
      { active: [], terminating: 0, ...(message && { failure: { reason: 'FailedCreate', message } }) },
      now,
    );
  const first = recordEvent(undefined, 'no quota');
  const condition = {
    type: 'ReplicaFailure',
    status: 'True',
    reason: 'FailedCreate',
    message: 'no quota',
    lastTransitionTime: '2026-01-01T00:01:00Z',
  };
  expect(first.conditions).toEqual([condition]);
  expect(recordEvent(first, 'still none').conditions).toEqual([condition]);
  expect(recordEvent(first).conditions).toBeUndefined();
});
