import { describe, expect, test } from 'vitest';
import { emptyLedger, type Ledger, markMade, reserve } from './ledger.ts';
import { planVersion, type VersionPlanInput } from './version-plan.ts';

const after = (...contents: string[]): Ledger =>
  contents.reduce<Ledger>(
    (ledger, contentHash) => markMade(reserve(ledger, { contentHash }).ledger),
    emptyLedger,
  );

const plan = (mods: Partial<VersionPlanInput>) =>
  planVersion({
    release: 'Auto',
    liveHash: 'b',
    type: undefined,
    chosenName: undefined,
    versions: [{ name: '1.0.0', contentHash: 'a', sequence: 1 }],
    ledger: after('a'),
    ...mods,
  });

const reason = (mods: Partial<VersionPlanInput>) => {
  const answer = plan(mods);
  return answer.make === 'nothing' ? answer.problem?.reason : answer.make;
};

describe('new content', () => {
  test('becomes the next version', () => {
    expect(plan({})).toMatchObject({ make: 'version', reservation: { name: '1.0.1', sequence: 2 } });
  });

  test('is the baseline 1.0.0 when it is the first, even of a locked config', () => {
    const first = { versions: [], ledger: emptyLedger };
    expect(plan(first)).toMatchObject({ reservation: { name: '1.0.0', sequence: 1 } });
    expect(plan({ ...first, release: 'Locked' })).toMatchObject({ reservation: { name: '1.0.0' } });
  });

  test('gets the name that its author chose', () => {
    expect(plan({ chosenName: '2.0 beta' })).toMatchObject({
      reservation: { name: '2.0 beta', sequence: 2 },
    });
  });

  test('gets the same name again after a crash before it was made', () => {
    const first = plan({ chosenName: 'two' });
    if (!('reservation' in first)) throw new Error('no reservation');
    expect(plan({ chosenName: 'two', ledger: first.reservation.ledger })).toEqual(first);
  });
});

test('content that is a version already becomes nothing', () => {
  expect(plan({ liveHash: 'a' })).toEqual({ make: 'nothing' });
  expect(plan({ liveHash: 'a', chosenName: '1.0.0' })).toEqual({ make: 'nothing' });
});

test('content that became a version which is not seen is looked for first', () => {
  expect(plan({ ledger: after('a', 'b') })).toEqual({ make: 'verify', name: '1.0.1' });
});

describe('nothing moves, and the author is told', () => {
  test.each<[string, Partial<VersionPlanInput>]>([
    ['VersionNameTaken', { chosenName: '1.0.0' }],
    ['VersionNameTaken', { chosenName: '1.0.1', ledger: after('a', 'deleted') }],
    ['VersionNameInvalid', { chosenName: 'current' }],
    ['Locked', { release: 'Locked' }],
    ['SecretTypeRefused', { type: 'kubernetes.io/service-account-token' }],
    ['SecretTypeRefused', { type: 'bootstrap.kubernetes.io/token', versions: [] }],
  ])('%s', (expected, mods) => {
    expect(reason(mods)).toBe(expected);
  });
});
