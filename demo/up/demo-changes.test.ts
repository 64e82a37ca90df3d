import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { ConfigRollout } from 'trimtab/api/config-rollout.ts';
import { annotations, labels } from 'trimtab/api/names.ts';
import { expect, test } from 'vitest';
import { previousVersion } from './demo-changes.ts';

const rollout = (current: string, ...history: string[]) =>
  ({
    status: {
      current: { version: current },
      history: history.map((line) => ({ version: line.split(' ')[0], result: line.split(' ')[1] })),
    },
  }) as unknown as ConfigRollout;
const made = (name: string, sequence: number, state = 'not-current'): KubeObject => ({
  metadata: {
    labels: { [labels.state]: state },
    annotations: { [annotations.version]: name, [annotations.sequence]: String(sequence) },
  },
});
const versions = [
  made('1.0.0', 1),
  made('1.0.1', 2),
  made('1.0.2', 3, 'rejected'),
  made('1.0.3', 4, 'current'),
];

test.each([
  ['the one before in the history', rollout('1.0.3', '1.0.3 Current', '1.0.1 Current'), '1.0.1'],
  ['not one that failed', rollout('1.0.3', '1.0.3 Current', '1.0.2 RolledBack', '1.0.1 Current'), '1.0.1'],
  [
    'after a failure, the one before the present one',
    rollout('1.0.3', '1.0.4 RolledBack', '1.0.3 Current', '1.0.0 Current'),
    '1.0.0',
  ],
  ['back and forth', rollout('1.0.1', '1.0.1 Current', '1.0.3 Current', '1.0.1 Current'), '1.0.3'],
  [
    'where the history ends, the newest from before that was not rejected',
    rollout('1.0.3', '1.0.3 Current'),
    '1.0.1',
  ],
])('undo goes to %s', (_, of, expected) => {
  expect(previousVersion(of, versions)).toBe(expected);
});

test('of a config with one version there is nothing to undo', () => {
  expect(previousVersion(rollout('1.0.0'), [made('1.0.0', 1, 'current')])).toBeUndefined();
});
