import { expect, test } from 'vitest';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import type { VersionMetadata } from './version-metadata.ts';
import { keepReason, stateOf } from './version-state.ts';

function version(name: string, sequence: number, more: Partial<VersionMetadata> = {}): VersionMetadata {
  const object = `foo-${name}`;
  const base = { kind: 'ConfigMap', namespace: 'shop', uid: name, rolloutUid: 'r', config: 'foo' } as const;
  const marks = {
    contentHash: name,
    state: 'not-current',
    currentCount: 0,
    inUse: false,
    rejected: undefined,
  };
  return { ...base, ...marks, name, object, sequence, madeByHand: true, ownerReferences: [], ...more };
}

function rollout(status: object = {}, version?: string, release = 'Auto'): ConfigRollout {
  return { metadata: {}, spec: { version, release }, status } as unknown as ConfigRollout;
}

const [a, b, c] = [version('a', 1), version('b', 2), version('c', 3)];

test.each([
  ['current', rollout(), true, a, 'current'],
  ['the target of its rollout', rollout({ target: { object: 'foo-b' } }), false, b, 'being-current'],
  ['rejected once', rollout(), false, version('d', 4, { rejected: 'why' }), 'rejected'],
  ['current in spite of a rejection', rollout(), true, version('d', 4, { rejected: 'why' }), 'current'],
  ['nothing of all this', rollout(), false, b, 'not-current'],
])('the state of a version that is %s', (_, of, isCurrent, version, expected) => {
  expect(stateOf(of, isCurrent, version)).toBe(expected);
});

test.each([
  ['it is current', rollout(), a, 'Current'],
  ['it is being rolled out', rollout({ target: { object: 'foo-b' } }), b, 'BeingCurrent'],
  ['its rollout asks for it', rollout({}, 'b'), b, 'Wanted'],
  ['something uses it', rollout(), version('b', 2, { inUse: true }), 'InUse'],
])('a version stays when %s', (_, of, version, reason) => {
  expect(keepReason(of, [a, version], version, 'other')?.reason).toBe(reason);
});

test('a version that nothing needs may go', () => {
  expect(keepReason(rollout({}, 'c'), [a, b, c], b, undefined)).toBeUndefined();
});

test.each([
  ['Auto', [a, b, c], 'Live'],
  ['Manual', [a, b, c], 'Live'],
  ['Locked', [a, b, c], 'Live'],
  ['Auto', [a, b, c, version('d', 4, { contentHash: 'b' })], undefined],
])('in %s, of the versions %j, one with the live content: %s', (release, versions, reason) => {
  expect(keepReason(rollout({}, undefined, release), versions, b, 'b')?.reason).toBe(reason);
});
