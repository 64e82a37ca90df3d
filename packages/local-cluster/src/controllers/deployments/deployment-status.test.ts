import { expect, test } from 'vitest';
import {
  type DeploymentTraits,
  deploymentOf,
  type SetTraits,
  setOf,
} from '../../../test/support/workload-objects.ts';
import type { Condition } from '../../objects/workloads.ts';
import { deploymentSnapshot } from './deployment-snapshot.ts';
import { countedStatus, type DeploymentStatus, rolloutStatus } from './deployment-status.ts';
import { deadlineInMs } from './progress.ts';

const at = (time: string) => Date.parse(`2026-01-01T${time}Z`);
const now = at('01:00:00');
const progressing = (
  reason: string,
  updated = '00:59:00',
  status: Condition['status'] = 'True',
): Condition => ({
  type: 'Progressing',
  status,
  reason,
  message: 'before',
  lastUpdateTime: `2026-01-01T${updated}Z`,
  lastTransitionTime: '2026-01-01T00:30:00Z',
});

function seen(traits: DeploymentTraits, newest?: SetTraits, old?: SetTraits) {
  const sets = [
    ...(newest ? [setOf('web-new', { made: 2, ...newest })] : []),
    ...(old ? [setOf('web-old', { made: 1, image: 'old', ...old })] : []),
  ];
  return deploymentSnapshot(deploymentOf(traits), sets);
}

const conditionIn = ({ conditions }: DeploymentStatus, type: string) =>
  conditions?.find((each) => each.type === type);

test('counts are those of all ReplicaSets; what is zero is left out', () => {
  const newest = { replicas: 2, present: 2, available: 1, status: { terminatingReplicas: 1 } };
  const status = countedStatus(seen({ replicas: 3, generation: 4 }, newest, { replicas: 2 }), now);
  expect(status).toMatchObject({
    observedGeneration: 4,
    replicas: 4,
    updatedReplicas: 2,
    readyReplicas: 3,
    availableReplicas: 3,
    unavailableReplicas: 1,
    terminatingReplicas: 1,
  });
  const nothing = countedStatus(seen({ replicas: 3, status: { collisionCount: 2 } }), now);
  expect(Object.keys(nothing).sort()).toEqual([
    'collisionCount',
    'conditions',
    'observedGeneration',
    'terminatingReplicas',
  ]);
});

test('how many pods go is unknown while a ReplicaSet that was looked at does not tell', () => {
  const told = (
    status: Partial<Record<'observedGeneration' | 'terminatingReplicas', number | undefined>>,
  ) => {
    const { deployment, newSet, oldSets } = seen({}, {});
    const { terminatingReplicas: _, observedGeneration: __, ...rest } = newSet?.status ?? { replicas: 0 };
    const set = newSet && { ...newSet, status: { ...rest, ...status } as typeof newSet.status };
    return countedStatus({ deployment, newSet: set as typeof newSet, oldSets }, now).terminatingReplicas;
  };
  expect([
    told({}),
    told({ observedGeneration: 1 }),
    told({ observedGeneration: 1, terminatingReplicas: 2 }),
  ]).toEqual([0, undefined, 2]);
});

test.each([
  [
    'enough pods are available',
    2,
    'True',
    'MinimumReplicasAvailable',
    'Deployment has minimum availability.',
  ],
  [
    'too few pods are available',
    1,
    'False',
    'MinimumReplicasUnavailable',
    'Deployment does not have minimum availability.',
  ],
])('%s', (_, available, status, reason, message) => {
  const traits = { replicas: 3, maxSurge: 0, maxUnavailable: 1 };
  const condition = conditionIn(countedStatus(seen(traits, { available }), now), 'Available');
  const time = '2026-01-01T01:00:00Z';
  expect(condition).toEqual({
    type: 'Available',
    status,
    reason,
    message,
    lastUpdateTime: time,
    lastTransitionTime: time,
  });
});

const before: DeploymentStatus = { replicas: 3, updatedReplicas: 1, readyReplicas: 2, availableReplicas: 2 };

test.each<[string, DeploymentTraits, SetTraits | undefined, SetTraits | undefined, string, string, string]>([
  [
    'all is new and well',
    { status: { ...before, conditions: [progressing('ReplicaSetUpdated')] } },
    { replicas: 3 },
    { replicas: 0 },
    'True',
    'NewReplicaSetAvailable',
    'ReplicaSet "web-new" has successfully progressed.',
  ],
  [
    'one more is ready',
    { status: { ...before, conditions: [progressing('ReplicaSetUpdated')] } },
    { replicas: 1 },
    { replicas: 2 },
    'True',
    'ReplicaSetUpdated',
    'ReplicaSet "web-new" is progressing.',
  ],
  [
    'old ones go while there is no new one',
    { recreate: true, status: { replicas: 3, conditions: [progressing('NewReplicaSetAvailable')] } },
    undefined,
    { replicas: 1, available: 0 },
    'True',
    'ReplicaSetUpdated',
    'Deployment "web" is progressing.',
  ],
  [
    'nothing has happened for too long',
    { status: { ...before, conditions: [progressing('ReplicaSetUpdated', '00:49:59')] } },
    { replicas: 1, available: 0 },
    { replicas: 2 },
    'False',
    'ProgressDeadlineExceeded',
    'ReplicaSet "web-new" has timed out progressing.',
  ],
  [
    'nothing has happened, and there is time left',
    { status: { ...before, conditions: [progressing('ReplicaSetUpdated', '00:50:00')] } },
    { replicas: 1, available: 0 },
    { replicas: 2 },
    'True',
    'ReplicaSetUpdated',
    'before',
  ],
  [
    'it was complete, and a pod is not well any more',
    { status: { ...before, conditions: [progressing('NewReplicaSetAvailable', '00:00:00')] } },
    { replicas: 3, available: 1 },
    { replicas: 0 },
    'True',
    'NewReplicaSetAvailable',
    'before',
  ],
])('progress: %s', (_, traits, newest, old, status, reason, message) => {
  const condition = conditionIn(rolloutStatus(seen(traits, newest, old), now), 'Progressing');
  expect(condition).toMatchObject({ status, reason, message });
  // Each step of progress updates lastUpdateTime; lastTransitionTime changes only with the status.
  if (reason === 'ReplicaSetUpdated' && message !== 'before')
    expect(condition).toMatchObject({
      lastUpdateTime: '2026-01-01T01:00:00Z',
      lastTransitionTime: '2026-01-01T00:30:00Z',
    });
});

test('without a deadline nothing is said about progress', () => {
  const spec = { progressDeadlineSeconds: 0x7fffffff };
  const traits = { spec, status: { conditions: [progressing('ReplicaSetUpdated')] } };
  const status = rolloutStatus(seen(traits, {}), now);
  expect(conditionIn(status, 'Progressing')).toBeUndefined();
  expect(deadlineInMs(deploymentOf(traits), status, now)).toBeUndefined();
});

test('what keeps pods from being made is passed on, the newest ReplicaSet first, until it is over', () => {
  const failure = (message: string): SetTraits => ({
    status: {
      conditions: [
        {
          type: 'ReplicaFailure',
          status: 'True',
          reason: 'FailedCreate',
          message,
          lastTransitionTime: '2026-01-01T00:58:00Z',
        },
      ],
    },
  });
  const failed = rolloutStatus(seen({}, failure('new'), failure('old')), now);
  expect(conditionIn(failed, 'ReplicaFailure')).toEqual({
    type: 'ReplicaFailure',
    status: 'True',
    reason: 'FailedCreate',
    message: 'new',
    lastUpdateTime: '2026-01-01T00:58:00Z',
    lastTransitionTime: '2026-01-01T00:58:00Z',
  });
  const over = rolloutStatus(seen({ status: failed }, {}, {}), now);
  expect(conditionIn(over, 'ReplicaFailure')).toBeUndefined();
});

test.each<[string, Condition, number | undefined]>([
  ['runs', progressing('ReplicaSetUpdated', '00:55:00'), 300_001],
  ['is over', progressing('ReplicaSetUpdated', '00:10:00'), 1],
  ['was told', progressing('ProgressDeadlineExceeded', '00:10:00', 'False'), undefined],
  ['does not count after success', progressing('NewReplicaSetAvailable', '00:10:00'), undefined],
  ['has no time to count from', progressing('ReplicaSetUpdated', 'never'), undefined],
])('a deadline that %s', (_, condition, inMs) => {
  expect(deadlineInMs(deploymentOf(), { replicas: 1, conditions: [condition] }, now)).toBe(inMs);
});
