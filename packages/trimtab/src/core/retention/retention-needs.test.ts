import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ConfigRollout, ConfigRolloutStatus } from '../../api/config-rollout.ts';
import { needsVersion } from './retention-needs.ts';

type RolloutVersion = Parameters<ReturnType<typeof needsVersion>>[0];

const version = (name: string, facts: Partial<RolloutVersion> = {}): RolloutVersion => ({
  name,
  object: `foo-${name}`,
  contentHash: `hash of ${name}`,
  state: 'not-current',
  madeByHand: false,
  ...facts,
});

const pointer = (name: string) => ({ version: name, object: `foo-${name}` });
const current = { ...pointer('3'), since: '2026-01-01T00:00:00Z' };
const target = {
  ...pointer('4'),
  activation: 'a-1',
  members: ['ConfigMap/foo'],
  startedAt: '2026-01-01T00:00:00Z',
};

function rollout(status?: ConfigRolloutStatus, specVersion?: string): ConfigRollout {
  return {
    metadata: { name: 'configmap-foo' },
    spec: {
      config: { kind: 'ConfigMap', name: 'foo' },
      release: 'Auto',
      strategy: {} as never,
      ...(specVersion !== undefined && { version: specVersion }),
    },
    ...(status !== undefined && { status }),
  };
}

const nowhere = { liveHash: undefined, isRollbackTarget: () => false };

describe('a rollout can do without', () => {
  test('an old version of which nobody knows anything', () => {
    expect(needsVersion(rollout({ current, target }), nowhere)(version('1'))).toBe(false);
  });

  test('a rejected version, once the config has other content', () => {
    const needs = needsVersion(rollout({ current }), { ...nowhere, liveHash: 'hash of 3' });
    expect(needs(version('2', { state: 'rejected' }))).toBe(false);
  });
});

describe('a rollout needs', () => {
  test.each<[string, RolloutVersion]>([
    ['what its status calls current, even when the label is not there yet', version('3')],
    ['what its status calls the target', version('4')],
    ['what the label calls current, even when the status is older', version('1', { state: 'current' })],
    ['the object that is current, even if somebody renamed the version', version('x', { object: 'foo-3' })],
    ['what is asked for by name', version('2')],
    ['what a person made', version('1', { madeByHand: true })],
    ['the content that the config has now', version('5', { contentHash: 'live' })],
    ['the content that the config had when it was last looked at', version('6')],
    [
      'the rejected content while the config has it',
      version('5', { contentHash: 'live', state: 'rejected' }),
    ],
    ['what a workload goes back to if this fails', version('7')],
  ])('%s', (_, each) => {
    const status = { current, target, observed: { liveVersion: '6' } };
    const surroundings = { liveHash: 'live', isRollbackTarget: (object: string) => object === 'foo-7' };
    expect(needsVersion(rollout(status, '2'), surroundings)(each)).toBe(true);
  });

  test('what a workload goes back to if the activation of another config fails', () => {
    const needs = needsVersion(rollout({ current }), { ...nowhere, isRollbackTarget: () => true });
    expect(needs(version('2'))).toBe(true);
  });

  test('every version while nobody knows which one is current', () => {
    const anything = fc.record({
      name: fc.string(),
      object: fc.string(),
      contentHash: fc.string(),
      state: fc.option(fc.string(), { nil: undefined }),
      madeByHand: fc.boolean(),
    });
    const empty = [undefined, {}, { target }, { phase: 'Failed' as const }];
    fc.assert(
      fc.property(anything, fc.constantFrom(...empty), (each, status) => {
        expect(needsVersion(rollout(status), nowhere)(each)).toBe(true);
      }),
    );
  });
});
