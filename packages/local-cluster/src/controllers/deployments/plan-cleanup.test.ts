import { expect, test } from 'vitest';
import { deploymentOf, setOf } from '../../../test/support/workload-objects.ts';
import type { ReplicaSet } from '../../objects/workloads.ts';
import { deploymentSnapshot } from './deployment-snapshot.ts';
import { planCleanup } from './plan-cleanup.ts';

const done = (name: string, revision: number | string, made = 0) =>
  setOf(name, { image: name, replicas: 0, revision, made });
const going = (set: ReplicaSet): ReplicaSet => ({
  ...set,
  metadata: { ...set.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
});
const unobserved = (set: ReplicaSet): ReplicaSet => ({
  ...set,
  metadata: { ...set.metadata, generation: 2 },
});

test.each<[string, number, ReplicaSet[], string[]]>([
  ['the lowest revisions', 1, [done('c', 3), done('a', 1), done('b', 2)], ['a', 'b']],
  ['none within the limit', 3, [done('a', 1), done('b', 2), done('c', 3)], []],
  ['all of them', 0, [done('a', 1), done('b', 2)], ['a', 'b']],
  ['the older one of those without a revision', 1, [done('b', 'x', 2), done('a', 'y', 1)], ['a']],
  [
    'none that has pods, nor another one in its place',
    1,
    [setOf('a', { revision: 1, image: 'a' }), done('b', 2)],
    [],
  ],
  [
    'none whose pods are still there',
    0,
    [setOf('a', { image: 'a', replicas: 0, present: 1 }), unobserved(done('b', 2))],
    [],
  ],
  ['none of those that go already, which do not count', 1, [going(done('a', 1)), done('b', 2)], []],
  ['none, when all are kept', 0x7fffffff, [done('a', 1), done('b', 2)], []],
])('of the history goes: %s', (_, revisionHistoryLimit, sets, expected) => {
  const deployment = deploymentOf({ spec: { revisionHistoryLimit } });
  expect(planCleanup(deploymentSnapshot(deployment, sets)).map(({ metadata }) => metadata.name)).toEqual(
    expected,
  );
});
