import { describe, expect, test } from 'vitest';
import { emptyLedger, type Ledger, recordDeletions } from './ledger.ts';
import { planVersion, type VersionPlanInput } from './version-plan.ts';

const first = { name: '1.0.0', object: 'foo-a', uid: 'a', contentHash: 'a', sequence: 1 };

const afterDeletionOf = (name: string): Ledger =>
  recordDeletions(emptyLedger, [{ name, object: 'foo-x', uid: 'x', sequence: 2 }], [first]);

const plan = ({ versions = [first], ...mods }: Partial<VersionPlanInput>) =>
  planVersion({
    liveHash: 'b',
    type: undefined,
    chosenName: undefined,
    versions,
    existing: versions,
    ledger: emptyLedger,
    isOccupied: () => false,
    ...mods,
  });

const reason = (mods: Partial<VersionPlanInput>) => {
  const answer = plan(mods);
  return answer.make === 'nothing' ? answer.problem?.reason : answer.make;
};

test('a name of an earlier release stays valid for the version that has it', () => {
  const named = { ...first, name: 'CURRENT' };
  expect(plan({ versions: [named], liveHash: 'a', chosenName: 'CURRENT' })).toEqual({ make: 'nothing' });
});

describe('new content', () => {
  test('becomes the next version', () => {
    expect(plan({})).toMatchObject({ make: 'version', name: '1.0.1', sequence: 2 });
    expect(plan({ ledger: afterDeletionOf('1.0.1') })).toMatchObject({ name: '1.0.2', sequence: 3 });
  });

  test('is the baseline 1.0.0 when it is the first', () => {
    expect(plan({ versions: [] })).toMatchObject({ name: '1.0.0', sequence: 1 });
  });

  test('gets the name that its author chose', () => {
    expect(plan({ chosenName: '2.0 beta' })).toMatchObject({ name: '2.0 beta', sequence: 2 });
  });

  test('passes over a name whose object name is taken by another object', () => {
    const isOccupied = (name: string) => name === '1.0.1';
    expect(plan({ isOccupied })).toMatchObject({ name: '1.0.2', occupied: ['1.0.1'] });
  });

  test('counts on above versions of an earlier rollout', () => {
    const old = { name: '1.0.4', sequence: 7 };
    expect(plan({ existing: [first, old] })).toMatchObject({ name: '1.0.5', sequence: 8 });
  });
});

test('content that is a version already becomes nothing', () => {
  expect(plan({ liveHash: 'a' })).toEqual({ make: 'nothing' });
  expect(plan({ liveHash: 'a', chosenName: '1.0.0' })).toEqual({ make: 'nothing' });
});

describe('nothing moves, and the author is told', () => {
  test.each<[string, Partial<VersionPlanInput>]>([
    ['VersionNameTaken', { chosenName: '1.0.0' }],
    ['VersionNameTaken', { chosenName: '1.0.1', ledger: afterDeletionOf('1.0.1') }],
    ['VersionNameTaken', { chosenName: 'mine', ledger: afterDeletionOf('mine') }],
    ['VersionNameTaken', { chosenName: 'mine', existing: [first, { name: 'mine', sequence: 2 }] }],
    ['VersionNameTaken', { chosenName: 'mine', isOccupied: () => true }],
    ['VersionNameInvalid', { chosenName: 'current' }],
    ['VersionNameInvalid', { chosenName: 'CURRENT' }],
    ['VersionNameInvalid', { chosenName: 'a/b' }],
    ['SecretTypeRefused', { type: 'kubernetes.io/service-account-token' }],
    ['SecretTypeRefused', { type: 'trimtab.dev/version', versions: [] }],
    ['SecretTypeRefused', { type: 'bootstrap.kubernetes.io/token', versions: [] }],
  ])('%s', (expected, mods) => {
    expect(reason(mods)).toBe(expected);
  });
});
