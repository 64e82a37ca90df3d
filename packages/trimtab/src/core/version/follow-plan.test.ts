import { describe, expect, test } from 'vitest';
import { type FollowInput, planFollow } from './follow-plan.ts';

const old = { name: '1.0.0', object: 'foo-0', contentHash: 'h0', state: 'not-current' };
const current = { name: '1.0.1', object: 'foo-1', contentHash: 'h1', state: 'current' };
const live = { hash: 'h0', type: undefined, immutable: false };

const plan = (mods: Partial<FollowInput<typeof old>> = {}) =>
  planFollow({
    release: 'Locked',
    kind: 'ConfigMap',
    name: 'foo',
    live,
    versions: [old, current],
    current: 'foo-1',
    typeOf: () => undefined,
    denial: undefined,
    ...mods,
  });

test('a Locked config gets the content of its current version', () => {
  expect(plan()).toEqual({ follow: 'write', version: current, kept: old });
});

describe('nothing is written', () => {
  test.each<[string, Parameters<typeof plan>[0]]>([
    ['in Auto', { release: 'Auto' }],
    ['in Manual', { release: 'Manual' }],
    ['to a config that does not exist', { live: undefined }],
    ['to a config that holds the current version', { live: { ...live, hash: 'h1' } }],
    ['while the status is empty', { current: undefined }],
    ['while an activation ends: the status does not name the marked version yet', { current: 'foo-0' }],
    ['of a version that is not marked current', { versions: [old, { ...current, state: 'not-current' }] }],
    ['over content that is not a version', { live: { ...live, hash: 'edited' } }],
  ])('%s', (_, mods) => {
    expect(plan(mods)).toEqual({ follow: 'nothing' });
  });
});

describe('a config that cannot follow', () => {
  test('is immutable', () => {
    expect(plan({ live: { ...live, immutable: true } })).toEqual({
      follow: 'never',
      problem: {
        reason: 'ConfigImmutable',
        message:
          'ConfigMap foo does not hold version 1.0.1, which is current, because it has immutable: true. Delete ConfigMap foo and create it again without immutable',
      },
    });
  });

  test('is a Secret that was created again with another type', () => {
    const secret = { kind: 'Secret', live: { ...live, type: 'Opaque' }, typeOf: () => 'kubernetes.io/tls' };
    expect(plan(secret)).toMatchObject({
      follow: 'never',
      problem: { reason: 'ConfigTypeDiffers', message: expect.stringContaining('kubernetes.io/tls') },
    });
  });

  test('is tried again while the API server denies it', () => {
    expect(plan({ denial: 'policy x says no' })).toMatchObject({
      follow: 'write',
      problem: {
        reason: 'ConfigWriteDenied',
        message:
          'ConfigMap foo does not hold version 1.0.1, which is current, because the API server denies the update: policy x says no',
      },
    });
  });
});
