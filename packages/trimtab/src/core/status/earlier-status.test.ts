import { expect, test } from 'vitest';
import type { ConfigRolloutStatus } from '../../api/config-rollout.ts';
import { isEarlierStatus } from './earlier-status.ts';

const pointer = { version: '1.0.0', object: 'foo-a', since: '2026-11-18T20:00:00Z' };

test.each<[string, boolean, object]>([
  ['nothing', false, {}],
  ['versions', false, { observed: { liveVersion: '1.0.0' }, current: pointer, target: pointer }],
  ['a hash of the config', true, { observed: { liveHash: 'a' }, current: pointer }],
  ['a hash of the current version', true, { current: { ...pointer, contentHash: 'a' } }],
  ['a hash of the target', true, { current: pointer, target: { ...pointer, contentHash: 'a' } }],
])('a status with %s is of an earlier build: %s', (_, isEarlier, status) => {
  expect(isEarlierStatus(status as ConfigRolloutStatus)).toBe(isEarlier);
});
