import { expect, test } from 'vitest';
import { deploymentOf, type SetTraits, setOf } from '../../../test/support/workload-objects.ts';
import { deploymentSnapshot } from './deployment-snapshot.ts';
import { planRolling } from './plan-rolling.ts';

type Case = [string, { replicas: number; up: number; down: number }, SetTraits[], SetTraits, string[]];

/** Old ReplicaSets are named a, b, c, from the oldest to the newest. */
test.each<Case>([
  [
    'new pods as far as there is room',
    { replicas: 10, up: 3, down: 2 },
    [{ replicas: 10 }],
    { replicas: 0 },
    ['new 0 to 3'],
  ],
  [
    'no new pods beyond the limit; old ones that can be missed go',
    { replicas: 10, up: 3, down: 2 },
    [{ replicas: 10 }],
    { replicas: 3, available: 0 },
    ['a 10 to 8'],
  ],
  [
    'a new one that does not get well stops the update',
    { replicas: 10, up: 3, down: 2 },
    [{ replicas: 8 }],
    { replicas: 5, available: 0 },
    [],
  ],
  [
    'back from it: those that never got well go first',
    { replicas: 10, up: 3, down: 2 },
    [{ replicas: 5, available: 0 }],
    { replicas: 8 },
    ['a 5 to 0'],
  ],
  [
    'over to another: sick ones of several go, then healthy ones as far as allowed',
    { replicas: 10, up: 3, down: 2 },
    [{ replicas: 8 }, { replicas: 5, available: 0 }],
    { replicas: 0 },
    ['b 5 to 0'],
  ],
  [
    'the oldest ones first',
    { replicas: 4, up: 0, down: 2 },
    [{ replicas: 2 }, { replicas: 2 }],
    { replicas: 0 },
    ['a 2 to 0'],
  ],
  [
    'too many new ones: down to what is asked for',
    { replicas: 2, up: 1, down: 0 },
    [],
    { replicas: 5 },
    ['new 5 to 2'],
  ],
  ['nothing, when all is done', { replicas: 2, up: 1, down: 0 }, [{ replicas: 0 }], { replicas: 2 }, []],
  [
    'nothing, while an old one has not lost yet what it should',
    { replicas: 9, up: 0, down: 1 },
    [{ replicas: 8, available: 9 }],
    { replicas: 1 },
    [],
  ],
  [
    'one that is sick and can be missed is scaled twice',
    { replicas: 4, up: 0, down: 3 },
    [{ replicas: 4, available: 3 }],
    { replicas: 0 },
    ['a 4 to 3', 'a 3 to 1'],
  ],
])('%s', (_, { replicas, up, down }, old, newest, expected) => {
  const oldSets = old.map((traits, index) =>
    setOf('abc'.charAt(index), { image: `old ${index}`, made: index, ...traits }),
  );
  const newSet = setOf('new', { made: 9, ...newest });
  const deployment = deploymentOf({ replicas, maxSurge: up, maxUnavailable: down });
  const plan = planRolling({ ...deploymentSnapshot(deployment, [newSet, ...oldSets]), newSet });
  const said = plan.map(({ set, to }) => `${set.metadata.name} ${set.spec.replicas} to ${to}`);
  expect(said).toEqual(expected);
});
