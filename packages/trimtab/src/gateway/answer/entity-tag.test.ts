import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Refusal } from '../../versions/refusal.ts';
import { entityTag, isMatch, isNotModified, readTagList } from './entity-tag.ts';

describe('a list of entity tags', () => {
  test.each([
    ['*', '*'],
    ['"1.0.0"', [{ isWeak: false, value: '1.0.0' }]],
    [
      ' W/"a" ,, "b,c"',
      [
        { isWeak: true, value: 'a' },
        { isWeak: false, value: 'b,c' },
      ],
    ],
    ['""', [{ isWeak: false, value: '' }]],
  ])('%s', (text, expected) => {
    expect(readTagList(text)).toEqual(expected);
  });

  test.each(['', ',', '1.0.0', '"a', '"a" "b"', 'w/"a"', '*, "a"', '"grün"', '"a\u0000"'])(
    'is not %j',
    (text) => {
      expect(readTagList(text)).toBeUndefined();
    },
  );

  test('is read as it was written', () => {
    const element = fc.record({ isWeak: fc.boolean(), value: fc.stringMatching(/^[ -!#-~]{0,20}$/) });
    fc.assert(
      fc.property(fc.array(element, { minLength: 1 }), (tags) => {
        const text = tags.map(({ isWeak, value }) => `${isWeak ? 'W/' : ''}"${value}"`).join(', ');
        expect(readTagList(text)).toEqual(tags);
      }),
    );
  });

  test('is read in linear time, whatever was sent', () => {
    for (const part of [' ', '"', ',', 'W/', '"",', 'W/" '])
      expect(readTagList(`${part.repeat(200_000)}x`)).toBeUndefined();
  });
});

const json = entityTag('uid foo-abc ', 'json');
const yaml = entityTag('uid foo-abc ', 'yaml');
const current = { version: 'a b', tags: [json, yaml] };
const matches = (text: string, now: typeof current | undefined = current) => {
  const list = readTagList(text);
  if (list === undefined) throw new Error('not a list');
  return isMatch(list, now);
};

test('a tag tells formats apart, and needs no quoting', () => {
  expect(json).not.toBe(yaml);
  expect(json).toMatch(/^trimtab:[\w-]{27}$/);
});

test('If-Match names a version or a tag', () => {
  for (const text of ['*', '"a%20b"', '"a b"', `"${json}"`, `"x", "${yaml}"`])
    expect(matches(text), text).toBe(true);
  const other = entityTag('uid foo-abc next', 'json');
  for (const text of ['"a%2520b"', 'W/"a%20b"', `W/"${json}"`, `"${other}"`, '"trimtab:"', '""', '"A%20B"'])
    expect(matches(text), text).toBe(false);
  expect(() => matches('"50%"')).toThrow(Refusal);
});

test('any version can be named, and nothing else matches it', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', minLength: 1 }),
      fc.string({ unit: 'grapheme' }),
      (version, other) => {
        const now = { version, tags: [json] };
        expect(matches(`"${encodeURIComponent(version)}"`, now)).toBe(true);
        expect(matches(`"${encodeURIComponent(other)}"`, now)).toBe(other === version);
      },
    ),
  );
});

test('without anything current, nothing matches', () => {
  expect(isMatch('*', undefined)).toBe(false);
});

test('If-None-Match compares weakly', () => {
  expect(isNotModified(readTagList(`W/"${json}"`), json)).toBe(true);
  expect(isNotModified(readTagList(`"x", "${json}"`), json)).toBe(true);
  expect(isNotModified(readTagList(`"${yaml}"`), json)).toBe(false);
  expect(isNotModified(undefined, json)).toBe(false);
  expect(isNotModified('*', json)).toBe(false);
});
