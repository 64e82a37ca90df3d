import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { historyLimitOf, type KeptVersion, planRetention } from './retention.ts';

const version = (sequence: number, facts: Partial<KeptVersion> = {}): KeptVersion => ({
  sequence,
  object: `foo-${sequence}`,
  isVoid: false,
  needed: false,
  users: 'none',
  ownedByRollout: true,
  ...facts,
});

/** The lists of a plan, as sequence numbers. */
function plan(versions: KeptVersion[], limit: number) {
  const planned = planRetention(versions, limit);
  const numbers = (list: KeptVersion[]) => list.map(({ sequence }) => sequence);
  return { delete: numbers(planned.delete), release: numbers(planned.release), own: numbers(planned.own) };
}

test('a void version goes when nothing references it, and does not count towards the limit', () => {
  const versions = [version(1), version(2, { isVoid: true }), version(3, { isVoid: true, users: 'others' })];
  expect(plan(versions, 1)).toEqual({ delete: [2], release: [], own: [] });
});

test('of two versions with the same sequence number, the name of the object decides', () => {
  const [a, b] = [version(1, { object: 'foo-a' }), version(1, { object: 'foo-b' })];
  for (const versions of [
    [a, b],
    [b, a],
  ])
    expect(planRetention(versions, 1).delete).toEqual([a]);
});

const nothing = { delete: [], release: [], own: [] };

test('the oldest beyond the limit go, oldest first', () => {
  const versions = [3, 1, 5, 2, 4].map((sequence) => version(sequence));
  expect(plan(versions, 3)).toEqual({ ...nothing, delete: [1, 2] });
});

test('within the limit nothing goes', () => {
  expect(plan([version(1), version(2)], 2)).toEqual(nothing);
});

test.each<[string, Partial<KeptVersion>]>([
  ['that is needed', { needed: true }],
  ['that runs somewhere', { users: 'others' }],
  ['that is needed and old revisions own', { needed: true, users: 'owners' }],
])('a version %s stays with its rollout, even with a limit of 0', (_, facts) => {
  expect(plan([version(1, facts), version(2)], 0)).toEqual({ ...nothing, delete: [2] });
});

test('what stays anyway does not use up the limit', () => {
  const versions = [
    version(1),
    version(2),
    version(3, { needed: true }),
    version(4, { users: 'others' }),
    version(5),
  ];
  expect(plan(versions, 2)).toEqual({ ...nothing, delete: [1] });
});

describe('a version that only old revisions name', () => {
  const held = (sequence: number, ownedByRollout = true) =>
    version(sequence, { users: 'owners', ownedByRollout });

  test('is one of those to go back to', () => {
    expect(plan([version(1), held(2), held(3)], 2)).toEqual({ ...nothing, delete: [1] });
  });

  test('is left to them when it is beyond the limit', () => {
    expect(plan([held(1), held(2), version(3)], 1)).toEqual({ ...nothing, release: [1, 2] });
    expect(plan([held(1, false), held(2, false), version(3)], 1)).toEqual(nothing);
  });

  test.each<[string, KeptVersion, number]>([
    ['the limit is raised', held(1, false), 1],
    ['it is made current', { ...held(1, false), needed: true }, 0],
    ['a pod takes it', { ...held(1, false), users: 'others' }, 0],
  ])('is owned by its rollout again when %s', (_, released, limit) => {
    expect(plan([released], limit)).toEqual({ ...nothing, own: [1] });
  });

  test('is not touched while the last of them is going', () => {
    for (const ownedByRollout of [true, false])
      expect(plan([version(1, { users: 'leaving', ownedByRollout })], 0)).toEqual(nothing);
  });

  test('is deleted when the last of them went without it', () => {
    expect(plan([version(1, { ownedByRollout: false })], 0)).toEqual({ ...nothing, delete: [1] });
  });
});

test('a limit of its own, or 10 for a ConfigMap and 3 for a Secret', () => {
  const limit = (kind: 'ConfigMap' | 'Secret', historyLimit?: number) =>
    historyLimitOf({
      config: { kind, name: 'foo' },
      release: 'Auto',
      strategy: {} as never,
      ...(historyLimit !== undefined && { historyLimit }),
    });
  expect([limit('ConfigMap'), limit('Secret'), limit('Secret', 0)]).toEqual([10, 3, 0]);
});

describe('for whatever mix of versions', () => {
  const facts = fc.record({
    needed: fc.boolean(),
    users: fc.constantFrom('none', 'owners', 'leaving', 'others'),
    ownedByRollout: fc.boolean(),
  });
  const mixes = fc
    .array(facts, { maxLength: 30 })
    .map((all) => all.map((each, index) => version(index + 1, each)));
  const limits = fc.nat(12);

  test('nothing that is needed or named ever goes, and nothing that is needed is left to others', () => {
    fc.assert(
      fc.property(mixes, limits, (versions, limit) => {
        const planned = planRetention(versions, limit);
        expect(planned.delete.every(({ needed, users }) => !needed && users === 'none')).toBe(true);
        expect(planned.release.every(({ needed, users }) => !needed && users === 'owners')).toBe(true);
        const after = apply(versions, limit);
        const mustStay = after.filter(({ needed, users }) => needed || users === 'others');
        expect(mustStay.every(({ ownedByRollout }) => ownedByRollout)).toBe(true);
        expect(mustStay.length).toBe(
          versions.filter(({ needed, users }) => needed || users === 'others').length,
        );
      }),
    );
  });

  test('as many as the limit says stay to go back to, the newest ones', () => {
    fc.assert(
      fc.property(mixes, limits, (versions, limit) => {
        const candidates = versions.filter(({ needed, users }) => !needed && users !== 'others');
        const { delete: deleted, release } = planRetention(versions, limit);
        const gone = new Set([...deleted, ...release].map(({ sequence }) => sequence));
        const newest = candidates.slice(Math.max(0, candidates.length - limit));
        expect(newest.some(({ sequence }) => gone.has(sequence))).toBe(false);
        expect(apply(versions, limit).filter((each) => each.users === 'none' && !each.needed).length).toBe(
          newest.filter(({ users }) => users === 'none').length,
        );
      }),
    );
  });

  test('a plan applied twice is a no-op, and so is one after a crash half-way', () => {
    fc.assert(
      fc.property(mixes, limits, fc.nat(40), (versions, limit, crashAfter) => {
        expect(plan(apply(versions, limit), limit)).toEqual(nothing);
        const resumed = apply(apply(versions, limit, crashAfter), limit);
        expect(resumed).toEqual(apply(versions, limit));
      }),
    );
  });
});

/** The versions that remain after the first `writes` of a plan. */
function apply(versions: readonly KeptVersion[], limit: number, writes = Infinity): KeptVersion[] {
  const planned = planRetention(versions, limit);
  const all = [
    ...planned.own.map((each) => ({ sequence: each.sequence, result: { ...each, ownedByRollout: true } })),
    ...planned.release.map((each) => ({
      sequence: each.sequence,
      result: { ...each, ownedByRollout: false },
    })),
    ...planned.delete.map((each) => ({ sequence: each.sequence, result: undefined })),
  ];
  const made = new Map(all.slice(0, writes).map(({ sequence, result }) => [sequence, result]));
  return versions.flatMap((each) => (made.has(each.sequence) ? (made.get(each.sequence) ?? []) : each));
}
