import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  emptyLedger,
  forgetLast,
  formatLedger,
  isNameUsed,
  type Ledger,
  markMade,
  parseLedger,
  rebuildLedger,
  reserve,
} from './ledger.ts';

/** The names of a series of versions with different content: automatic, or chosen by a user. */
function history(...wishes: (string | undefined)[]): { names: string[]; ledger: Ledger } {
  let ledger: Ledger = emptyLedger;
  const names: string[] = [];
  for (const [index, chosen] of wishes.entries()) {
    if (chosen !== undefined && isNameUsed(ledger, chosen)) continue;
    const reserved = reserve(ledger, {
      contentHash: `content ${index}`,
      ...(chosen === undefined ? {} : { chosen }),
    });
    expect(reserved.sequence).toBe(names.length + 1);
    names.push(reserved.name);
    ledger = reserved.ledger;
  }
  return { names, ledger };
}

const auto = undefined;

describe('automatic versions count on', () => {
  test('from 1.0.0', () => {
    expect(history(auto, auto, auto).names).toEqual(['1.0.0', '1.0.1', '1.0.2']);
  });

  test('over names that people chose', () => {
    expect(history(auto, '1.0.1', '1.0.3', auto, auto).names).toEqual([
      '1.0.0',
      '1.0.1',
      '1.0.3',
      '1.0.2',
      '1.0.4',
    ]);
  });

  test('whatever people call theirs', () => {
    expect(history(auto, '2.0.0', 'initial release', auto).names).toEqual([
      '1.0.0',
      '2.0.0',
      'initial release',
      '1.0.1',
    ]);
  });
});

const wish = fc.option(
  fc.oneof(
    fc.nat(6).map((n) => `1.0.${n}`),
    fc.constantFrom('release', '2.0', '1.0.07', 'ünïcode'),
  ),
  { nil: undefined },
);

test('no name is ever given twice, and sequence numbers only rise', () => {
  fc.assert(
    fc.property(fc.array(wish), (wishes) => {
      const { names, ledger } = history(...wishes);
      expect(new Set(names).size).toBe(names.length);
      expect(ledger.sequence).toBe(names.length);
      for (const name of names) expect(isNameUsed(ledger, name)).toBe(true);
    }),
  );
});

describe('after a crash between the reservation and the version', () => {
  const before = history(auto, 'two').ledger;

  test.each([auto, 'three'])('the same content gets the same name again (%s)', (chosen) => {
    const wish = { contentHash: 'new', ...(chosen === undefined ? {} : { chosen }) };
    const first = reserve(before, wish);
    expect(reserve(first.ledger, wish)).toEqual(first);
  });

  test('other content gets a name of its own, and the lost one stays used', () => {
    const lost = reserve(before, { contentHash: 'new' });
    const next = reserve(lost.ledger, { contentHash: 'newer' });
    expect([lost.name, next.name]).toEqual(['1.0.1', '1.0.2']);
  });

  test('a version that was made and deleted does not give its name back', () => {
    const made = reserve(before, { contentHash: 'new' });
    expect(reserve(forgetLast(markMade(made.ledger)), { contentHash: 'new' }).name).toBe('1.0.2');
    expect(reserve(markMade(made.ledger), { contentHash: 'new' }).name).toBe('1.0.2');
  });
});

test('a ledger survives being written down', () => {
  fc.assert(
    fc.property(fc.array(wish), (wishes) => {
      const { ledger } = history(...wishes);
      expect(parseLedger(formatLedger(ledger))).toEqual(ledger);
    }),
  );
});

test.each([
  '',
  'null',
  '[]',
  '{"sequence":-1,"patch":0,"chosen":""}',
  '{"sequence":1,"patch":0}',
  '{"sequence":1.5,"patch":0,"chosen":""}',
])('what somebody made of it is not taken for a ledger: %s', (text) => {
  expect(parseLedger(text)).toBeUndefined();
});

describe('a ledger that was lost', () => {
  const kept = [
    { name: '1.0.4', sequence: 6 },
    { name: 'release', sequence: 3 },
  ];

  test('is made anew from the versions that are left, and counts on above them', () => {
    const ledger = rebuildLedger(emptyLedger, kept);
    expect(reserve(ledger, { contentHash: 'new' })).toMatchObject({ name: '1.0.5', sequence: 7 });
    expect(isNameUsed(ledger, 'release')).toBe(true);
    expect(isNameUsed(ledger, '1.0.2')).toBe(true);
  });

  test('changes nothing of one that was not', () => {
    const { ledger, names } = history(auto, 'release', '1.0.7', auto);
    const versions = names.map((name, index) => ({ name, sequence: index + 1 }));
    expect(rebuildLedger(ledger, versions)).toEqual(ledger);
  });
});
