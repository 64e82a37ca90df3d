import { expect, test } from 'vitest';
import type { Pod } from '../../objects/pod.ts';
import type { StatefulSet } from '../../objects/workloads.ts';
import { statefulSetStatus } from './stateful-set-status.ts';

const now = Date.parse('2026-01-01T01:00:00Z');
const set = (replicas: number, type: 'RollingUpdate' | 'OnDelete' = 'RollingUpdate') =>
  ({
    metadata: { name: 'db', generation: 4 },
    spec: { replicas, updateStrategy: { type } },
  }) as unknown as StatefulSet;
const pod = (revision: string, ready = true, going = false): Pod => ({
  metadata: {
    labels: { 'controller-revision-hash': revision },
    ...(going && { deletionTimestamp: '2026-01-01T00:59:59Z' }),
  },
  spec: { containers: [] },
  status: {
    phase: 'Running',
    conditions: [
      { type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: '2026-01-01T00:00:00Z' },
    ],
  },
});
const revisions = { current: 'old', update: 'new', collisionCount: undefined };

test('pods are counted by revision and by health; one that goes is of no revision any more', () => {
  const pods = [pod('old'), pod('old', true, true), pod('new', false)];
  expect(statefulSetStatus(set(3), pods, revisions, now)).toEqual({
    observedGeneration: 4,
    replicas: 3,
    readyReplicas: 2,
    availableReplicas: 2,
    currentReplicas: 1,
    updatedReplicas: 1,
    currentRevision: 'old',
    updateRevision: 'new',
    collisionCount: 0,
  });
});

test('when all are new and ready, the new revision is the current one', () => {
  const { currentRevision, currentReplicas } = statefulSetStatus(
    set(2),
    [pod('new'), pod('new')],
    revisions,
    now,
  );
  expect([currentRevision, currentReplicas]).toEqual(['new', 2]);
});

test.each([
  ['one is not ready', set(2), [pod('new'), pod('new', false)]],
  ['one is missing', set(2), [pod('new')]],
  ['it updates on deletion only', set(1, 'OnDelete'), [pod('new')]],
])('it is not while %s', (_, of, pods) => {
  expect(statefulSetStatus(of, pods, revisions, now).currentRevision).toBe('old');
});
