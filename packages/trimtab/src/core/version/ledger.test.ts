import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  emptyLedger,
  formatLedger,
  isDeletedName,
  isRecorded,
  isVoid,
  type Ledger,
  type LedgerVersion,
  nextAutomaticName,
  nextSequence,
  parseLedger,
  rebuildLedger,
  recordDeletions,
} from './ledger.ts';
import { versionObjectName } from './object-names.ts';

const version = (name: string, sequence: number, uid = `${sequence}0000000-0000`): LedgerVersion => ({
  name,
  sequence,
  uid,
  object: versionObjectName('foo', 'uid of foo', name),
});
const nothingElse = () => false;

describe('automatic names', () => {
  const next = (ledger: Ledger, ...existing: LedgerVersion[]) =>
    nextAutomaticName(ledger, existing, nothingElse);

  test('begin with 1.0.0 and follow the highest', () => {
    expect(next(emptyLedger)).toBe('1.0.0');
    expect(next(emptyLedger, version('1.0.0', 1), version('1.0.1', 2))).toBe('1.0.2');
    expect(next(emptyLedger, version('1.0.0', 1), version('1.0.7', 2))).toBe('1.0.8');
  });

  test('do not depend on what users call their versions', () => {
    expect(next(emptyLedger, version('2.0.0', 1), version('initial release', 2))).toBe('1.0.0');
  });

  test('pass over names of other objects', () => {
    expect(nextAutomaticName(emptyLedger, [version('1.0.0', 1)], (name) => name === '1.0.1')).toBe('1.0.2');
  });

  test('follow the highest one that was deleted', () => {
    const all = [version('1.0.0', 1), version('1.0.1', 2)];
    const ledger = recordDeletions(emptyLedger, all.slice(1), all);
    expect(next(ledger, version('1.0.0', 1))).toBe('1.0.2');
    expect(nextSequence(ledger, [version('1.0.0', 1)])).toBe(3);
  });

  test('end nowhere: the highest number that a user can choose is followed by another name', () => {
    const highest = version('1.0.999999999999999', 1);
    const name = next(emptyLedger, highest);
    expect(name).not.toBe(highest.name);
    expect(next(emptyLedger, highest, version(name, 2))).not.toBe(name);
  });
});

describe('a deleted version', () => {
  const [first, mine, last] = [version('1.0.0', 1), version('mine', 2), version('1.0.1', 3)];
  const ledger = recordDeletions(emptyLedger, [mine, last], [first, mine, last]);

  test('keeps its name for ever', () => {
    expect([first, mine, last].map(({ name }) => isDeletedName(ledger, name))).toEqual([false, true, true]);
  });

  test('is not void while it still exists', () => {
    for (const each of [first, mine, last]) expect(isVoid(ledger, each)).toBe(false);
    expect(isRecorded(ledger, mine)).toBe(true);
  });

  test('makes another object with its name void', () => {
    expect(isVoid(ledger, version('mine', 4))).toBe(true);
    expect(isVoid(ledger, version('1.0.1', 4))).toBe(true);
    expect(isVoid(ledger, version('1.0.2', 4))).toBe(false);
  });

  test('whose void successor is deleted is recorded once', () => {
    const again = recordDeletions(ledger, [version('mine', 4)], [first, version('mine', 4)]);
    expect(isRecorded(again, version('mine', 4))).toBe(false);
    expect(isVoid(again, version('mine', 4))).toBe(true);
  });
});

test('of many deletions the names stay, and the records of objects that still exist', () => {
  const all = Array.from({ length: 2000 }, (_, index) =>
    version(`1.0.${index}`, index + 1, `${index}-uid-uid`),
  );
  const survivor = all[3] as LedgerVersion;
  let ledger = recordDeletions(emptyLedger, [survivor], all);
  for (const each of all) ledger = recordDeletions(ledger, [each], [survivor]);
  expect(formatLedger(ledger).length).toBeLessThan(1_500);
  expect(isVoid(ledger, survivor)).toBe(false);
  expect(isVoid(ledger, version('1.0.7', 8, 'another'))).toBe(true);
});

const named = fc.oneof(
  fc.nat(6).map((n) => `1.0.${n}`),
  fc.constantFrom('release', '2.0', '1.0.07', 'ünïcode'),
);
const step = fc.record({ delete: fc.boolean(), chosen: fc.option(named, { nil: undefined }), at: fc.nat() });

test('no name is ever used twice, whatever is created and deleted in whatever order', () => {
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      let ledger: Ledger = emptyLedger;
      let existing: LedgerVersion[] = [];
      const used: string[] = [];
      for (const { delete: isDeletion, chosen, at } of steps) {
        const victim = existing[at % Math.max(1, existing.length)];
        if (isDeletion && victim !== undefined) {
          ledger = recordDeletions(ledger, [victim], existing);
          existing = existing.filter((each) => each !== victim);
          continue;
        }
        const name = chosen ?? nextAutomaticName(ledger, existing, nothingElse);
        if (isDeletedName(ledger, name) || existing.some((each) => each.name === name)) continue;
        used.push(name);
        existing = [...existing, version(name, nextSequence(ledger, existing))];
        for (const each of existing) expect(isVoid(ledger, each)).toBe(false);
      }
      expect(new Set(used).size).toBe(used.length);
      expect(parseLedger(formatLedger(ledger))).toEqual(ledger);
      const sequences = existing.map(({ sequence }) => sequence);
      expect(sequences).toEqual([...new Set(sequences)].sort((a, b) => a - b));
    }),
  );
});

test.each([
  '',
  'null',
  '[]',
  '{"sequence":1,"patch":0}',
  '{"sequence":-1,"patch":0,"deletedNumbers":"","deletedNames":"","deletedObjects":""}',
  '{"sequence":1.5,"patch":0,"deletedNumbers":"","deletedNames":"","deletedObjects":""}',
  '{"sequence":1,"patch":0,"deletedNumbers":"3-1","deletedNames":"","deletedObjects":""}',
])('what somebody made of it is not taken for a ledger: %s', (text) => {
  expect(parseLedger(text)).toBeUndefined();
});

test('a ledger that was lost is built from the versions that are left, and gaps count as deleted', () => {
  const kept = [version('1.0.4', 6), version('release', 3), version('1.0.1', 2)];
  const ledger = rebuildLedger(kept);
  expect(nextAutomaticName(ledger, kept, nothingElse)).toBe('1.0.5');
  expect(nextSequence(ledger, kept)).toBe(7);
  const names = ['1.0.0', '1.0.1', '1.0.2', '1.0.3', '1.0.4', 'release'];
  expect(names.filter((name) => isDeletedName(ledger, name))).toEqual(['1.0.0', '1.0.2', '1.0.3']);
  expect(rebuildLedger([])).toEqual(emptyLedger);
});
