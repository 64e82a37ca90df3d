import { describe, expect, test } from 'vitest';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import { createdVersionState } from './created-version-state.ts';
import { emptyLedger, formatLedger, recordDeletions } from './ledger.ts';
import type { VersionMetadata } from './version-metadata.ts';

function version(name: string, sequence: number, more: Partial<VersionMetadata> = {}): VersionMetadata {
  return {
    ...{ kind: 'ConfigMap', namespace: 'default', config: 'foo', rolloutUid: 'now' },
    ...{ name, sequence, object: `foo-${name}`, uid: `uid-${name}`, contentHash: name },
    ...{ state: 'not-current', currentCount: 0, inUse: false, rejected: undefined, madeByHand: true },
    ownerReferences: [],
    ...more,
  };
}

function rollout(status?: object, specVersion?: string, ledger = emptyLedger): ConfigRollout {
  return {
    metadata: { uid: 'now', annotations: { [annotations.ledger]: formatLedger(ledger) } },
    spec: { release: 'Locked', ...(specVersion && { version: specVersion }) },
    ...(status && { status }),
  } as unknown as ConfigRollout;
}

const old = version('1.0.0', 1, { state: 'current', currentCount: 1 });
const orphan = { ...old, rolloutUid: 'before' };
const created = version('2.0.0', 2);
const status = { phase: 'Current', current: { version: '1.0.0', object: 'foo-1.0.0' } };
const target = { version: '1.1.0', object: 'foo-1.1.0' };

const stateIn = (...[where, existing]: [ConfigRollout, VersionMetadata[]]) => {
  const { state, isContested } = createdVersionState(where, existing, created);
  return [state, isContested ? 'contested' : 'settled'];
};

describe('a version that was just created is', () => {
  test.each<[string, [ConfigRollout, VersionMetadata[]], [string, string]]>([
    ['current, as the only one', [rollout(), []], ['current', 'settled']],
    ['current, when it is listed already', [rollout(), [created]], ['current', 'settled']],
    ['not current beside the one that is', [rollout(status), [old]], ['not-current', 'contested']],
    ['not current beside one of an earlier rollout', [rollout(), [orphan]], ['not-current', 'contested']],
    ['not current beside an older one', [rollout(), [version('1.0.0', 1)]], ['not-current', 'contested']],
    ['current, when all others were deleted', [rollout(status), []], ['current', 'settled']],
    ['current, but another is requested', [rollout(undefined, '1.0.0'), []], ['current', 'contested']],
    [
      'current, but another is rolled out',
      [
        rollout({ ...status, current: { version: '2.0.0', object: 'foo-2.0.0' }, target }),
        [{ ...created, state: 'current' }],
      ],
      ['current', 'contested'],
    ],
    [
      'being current, when its activation runs',
      [rollout({ ...status, target: { version: '2.0.0', object: 'foo-2.0.0' } }, '2.0.0'), [old, created]],
      ['being-current', 'contested'],
    ],
  ])('%s', (_, [where, existing], expected) => {
    expect(stateIn(where, existing)).toEqual(expected);
  });

  test('current beside a void version, which came from a race', () => {
    const deleted = { name: '1.0.0', object: 'foo-1.0.0', uid: 'another', sequence: 1 };
    const ledger = recordDeletions(emptyLedger, [deleted], []);
    expect(stateIn(rollout(undefined, undefined, ledger), [old])).toEqual(['current', 'settled']);
  });
});
