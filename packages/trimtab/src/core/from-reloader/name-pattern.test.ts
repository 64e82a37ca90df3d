import fc from 'fast-check';
import { expect, test } from 'vitest';
import { namePattern } from './name-pattern.ts';

test.each([
  ['foo', ['foo'], ['foo-1', 'xfoo', '']],
  ['app-config-.*', ['app-config-', 'app-config-a.b'], ['app-config', 'my-app-config-a']],
  ['app-(web|api)-v[0-9]+', ['app-web-v1', 'app-api-v12'], ['app-db-v1', 'app-web-v']],
  ['(a|b)', ['a', 'b'], ['ab', 'ac', 'cb']],
  ['^foo$', ['foo'], ['foo1']],
  ['foo\\.bar', ['foo.bar'], ['foo-bar']],
  ['foo.bar', ['foo.bar', 'foo-bar'], ['foobar']],
  ['[^-]+', ['abc'], ['a-c']],
  ['a{3}', ['aaa'], ['aa', 'aaaa']],
  ['(?:ab)*', ['', 'abab'], ['aba']],
])('%s matches whole names', (text, matching, others) => {
  const pattern = namePattern(text);
  expect(matching.filter((name) => !pattern?.(name))).toEqual([]);
  expect(others.filter((name) => pattern?.(name))).toEqual([]);
});

test.each([
  ['a|b', ['a', 'b', 'ab', 'ac', 'cb'], ['', 'ca', 'bc', 'cac']],
  ['foo|-tls', ['foo', 'food', 'web-tls'], ['a-foo', 'web-tls-1']],
  ['foo|bar|baz', ['foo-1', 'a-bar-1', 'a-baz'], ['a-foo', 'baz-1', 'ba']],
  ['foo|', ['', 'foo', 'bar'], []],
  ['a|^b$', ['a1', 'b'], ['b1', '1b']],
  ['a$|b', ['a', '1b'], ['a1', 'b1']],
])('%s has choices of which only the ends are anchored, as in Reloader', (text, matching, others) => {
  const pattern = namePattern(text);
  expect(matching.filter((name) => !pattern?.(name))).toEqual([]);
  expect(others.filter((name) => pattern?.(name))).toEqual([]);
});

test.each([
  '(',
  ')',
  'a)(b',
  'a|*b',
  '?:a)|(b',
  '[',
  '[a',
  '*',
  'a**',
  '(?i)foo',
  '[[:alpha:]]',
  '\\b',
  'a\\',
  '[z-a]',
  'a{900}{900}',
  `(${'a|'.repeat(50_000)})`,
])('%.20s is not supported', (text) => {
  expect(namePattern(text)).toBeUndefined();
});

test('a pattern that is searched for costs linear time', () => {
  const pattern = `x|${'a?'.repeat(400)}b|x`;
  for (let count = 0; count < 20; count++) expect(namePattern(pattern)?.('a'.repeat(253))).toBe(false);
});

test('a pattern that makes other engines backtrack costs linear time', () => {
  expect(namePattern('(((a*)*)*)*b')?.('a'.repeat(253))).toBe(false);
  expect(namePattern(`${'(a|a)'.repeat(60)}x`)?.('a'.repeat(253))).toBe(false);
});

test('what is supported matches as a regular expression of JavaScript does', () => {
  const quantified = (part: fc.Arbitrary<string>) =>
    fc.tuple(part, fc.constantFrom('', '', '*', '+', '?', '{2}')).map((parts) => parts.join(''));
  const joined = (part: fc.Arbitrary<string>, by: string) =>
    fc.array(part, { maxLength: 3 }).map((parts) => parts.join(by));
  const choiceOf = (part: fc.Arbitrary<string>) => joined(joined(part, ''), '|');
  const single = fc.constantFrom('a', 'b', '-', '.', '[ab]', '[^a]', '[a-c-]', '\\.', '\\d');
  const part = fc.oneof(quantified(single), fc.constantFrom('^', '$'));
  const inner = quantified(choiceOf(part).map((text) => `(${text})`));
  const outer = quantified(choiceOf(fc.oneof(part, inner)).map((text) => `(?:${text})`));
  const pattern = choiceOf(fc.oneof(part, inner, outer));
  const name = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '-', '.', '1'), maxLength: 8 });
  fc.assert(
    fc.property(pattern, name, (text, candidate) => {
      expect(namePattern(text)?.(candidate)).toBe(new RegExp(`^${text}$`).test(candidate));
    }),
    { numRuns: 1_000 },
  );
});

test('any text is a pattern or is not supported', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 60 }), fc.string({ maxLength: 20 }), (text, name) => {
      namePattern(text)?.(name);
    }),
  );
});
