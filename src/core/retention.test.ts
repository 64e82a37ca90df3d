import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type KeptVersion, toDelete } from './retention.ts';

const version = (sequence: number, needs: Partial<KeptVersion> = {}): KeptVersion => ({
  name: `1.0.${sequence}`,
  sequence,
  isCurrentOrTarget: false,
  inUse: false,
  madeByHand: false,
  ...needs,
});

const names = (versions: KeptVersion[]) => versions.map(({ name }) => name);

test('the oldest beyond the limit go, oldest first', () => {
  const versions = [3, 1, 5, 2, 4].map((sequence) => version(sequence));
  expect(names(toDelete(versions, 3))).toEqual(['1.0.1', '1.0.2']);
});

test('within the limit nothing goes', () => {
  expect(toDelete([version(1), version(2)], 2)).toEqual([]);
});

test.each(['isCurrentOrTarget', 'inUse', 'madeByHand'] as const)(
  'a version that %s stays, even with a limit of 0',
  (need) => {
    expect(names(toDelete([version(1, { [need]: true }), version(2)], 0))).toEqual(['1.0.2']);
  },
);

test('what is needed never goes, and as many as the limit says stay for whatever mix of versions', () => {
  const any = fc.record({ isCurrentOrTarget: fc.boolean(), inUse: fc.boolean(), madeByHand: fc.boolean() });
  fc.assert(
    fc.property(fc.array(any), fc.nat(20), (needs, limit) => {
      const versions = needs.map((need, index) => version(index, need));
      const gone = toDelete(versions, limit);
      expect(gone.some((each) => each.isCurrentOrTarget || each.inUse || each.madeByHand)).toBe(false);
      const free = versions.filter((each) => !each.isCurrentOrTarget && !each.inUse && !each.madeByHand);
      expect(free.length - gone.length).toBe(Math.min(limit, free.length));
      const kept = free.filter((each) => !gone.includes(each));
      expect(gone.every((each) => kept.every((other) => other.sequence > each.sequence))).toBe(true);
    }),
  );
});
