import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contentHash } from './content-hash.ts';

const map = fc.dictionary(fc.string(), fc.string());

describe('the same content has the same hash', () => {
  test('in whichever order its keys were written', () => {
    fc.assert(
      fc.property(map, (data) => {
        const reversed = Object.fromEntries(Object.entries(data).reverse());
        expect(contentHash({ data: reversed })).toBe(contentHash({ data }));
      }),
    );
  });

  test('with an empty map or none at all', () => {
    expect(contentHash({ data: {}, binaryData: {} })).toBe(contentHash({}));
  });
});

describe('other content has another hash', () => {
  test.each([
    ['a value that moved to another key', { data: { a: 'x', b: '' } }, { data: { a: '', b: 'x' } }],
    ['a key that took a part of its value along', { data: { ab: 'c' } }, { data: { a: 'bc' } }],
    ['text and binary', { data: { a: 'eA==' } }, { binaryData: { a: 'eA==' } }],
    ['the type of a Secret', { type: 'Opaque' }, { type: 'kubernetes.io/tls' }],
    ['an empty value and no key', { data: { a: '' } }, { data: {} }],
  ])('%s', (_, one, other) => {
    expect(contentHash(one)).not.toBe(contentHash(other));
  });

  test('any two maps that differ', () => {
    fc.assert(
      fc.property(map, map, (one, other) => {
        const same =
          JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort());
        expect(contentHash({ data: one }) === contentHash({ data: other })).toBe(same);
      }),
    );
  });
});
