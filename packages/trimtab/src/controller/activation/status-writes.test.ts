import { expect, test } from 'vitest';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { StatusWrites } from './status-writes.ts';

const rollout = (resourceVersion: string, uid = 'u1') =>
  ({ metadata: { uid, resourceVersion }, spec: {} }) as ConfigRollout;

test('a rollout from before our last write is known as such, until the cache has caught up', () => {
  const writes = new StatusWrites();
  expect(writes.areAheadOf(rollout('9'))).toBe(false);
  writes.note(rollout('10'));
  expect(writes.areAheadOf(rollout('9'))).toBe(true);
  expect(writes.areAheadOf(rollout('9', 'another'))).toBe(false);
  expect(writes.areAheadOf(rollout('10'))).toBe(false);
});

test('what others wrote after us is newer, too', () => {
  const writes = new StatusWrites();
  writes.note(rollout('10'));
  expect(writes.areAheadOf(rollout('11'))).toBe(false);
});

test('where versions can not be compared, nobody waits for ever', () => {
  const writes = new StatusWrites();
  writes.note(rollout('10'));
  expect(writes.areAheadOf(rollout('abc'))).toBe(false);
});
