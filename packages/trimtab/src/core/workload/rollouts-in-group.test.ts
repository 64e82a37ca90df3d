import { expect, test } from 'vitest';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import { rolloutsInGroup } from './rollouts-in-group.ts';

const rollout = (name: string, ...workloads: string[]) =>
  ({
    metadata: { name, annotations: { [annotations.workloads]: JSON.stringify(workloads) } },
  }) as unknown as ConfigRollout;

test('a group has all rollouts that share workloads, directly or through others', () => {
  const others = [
    rollout('far', 'Deployment/b', 'Deployment/c'),
    rollout('near', 'Deployment/a', 'Deployment/b'),
    rollout('apart', 'Deployment/d'),
    rollout('unused'),
    rollout('farther', 'Deployment/c'),
  ];
  const found = rolloutsInGroup(rollout('own', 'Deployment/a'), others);
  expect(found.map(({ metadata }) => metadata.name).sort()).toEqual(['far', 'farther', 'near']);
  expect(rolloutsInGroup(rollout('alone', 'Deployment/e'), others)).toEqual([]);
});
