import { expect, test } from 'vitest';
import { parseNameList } from './name-list.ts';

const longestName = 'a'.repeat(253);

function matched(text: string, names: readonly string[]): string[] | string {
  const list = parseNameList(text, names);
  if ('problem' in list) return list.problem;
  return names.filter((name) => list.value.some(({ matches }) => matches?.(name)));
}

test('a name is listed when one of the entries matches it', () => {
  expect(matched(' foo, app-.*,,(', ['foo', 'app-a', 'app', 'other'])).toEqual(['foo', 'app-a']);
  expect(matched('', ['foo'])).toEqual([]);
});

test('an entry that is not valid has no matcher', () => {
  expect(parseNameList('foo,(', [])).toEqual({
    value: [
      { text: 'foo', matches: expect.any(Function) },
      { text: '(', matches: undefined },
    ],
  });
});

test('a list has at most 100 entries', () => {
  const names = Array.from({ length: 101 }, (_, index) => `app.config-${index}`);
  expect(matched(names.slice(1).join(','), names)).toEqual(names.slice(1));
  expect(matched(names.join(','), names)).toMatch(/at most 100 entries/);
});

test('a single pattern may use the whole limit', () => {
  expect(matched('a{998},b', ['b'])).toEqual(['b']);
});

test.each([
  [
    'many patterns',
    Array(11)
      .fill(`x${'a?'.repeat(45)}`)
      .join(','),
    'foo',
  ],
  ['repetitions', 'a{600},b{600}', 'foo'],
  ['members of classes', `[${'a'.repeat(600)}],[${'a'.repeat(600)}]`, 'foo'],
  ['patterns that are not valid', Array(3).fill('('.repeat(600)).join(','), 'foo'],
  ['a pattern that is too large alone', '(?:a{999}){999}', 'foo'],
  ['repetitions in sequence', 'a{999}'.repeat(150), 'foo'],
  ['repetitions as choices', `(${'a{999}|'.repeat(140)}a)`, 'foo'],
])('the patterns of a list share one limit: %s', (_, text, name) => {
  expect(matched(`${text},${name}`, [name])).toMatch(/regular expressions of at most 1000 characters in all/);
});

test('names without patterns have no limit of length', () => {
  const names = Array.from({ length: 100 }, (_, index) => `${index}.${'a'.repeat(250)}`);
  expect(matched(names.join(','), names)).toEqual(names);
});

// Each of these would take minutes without a limit.
test('a list of the largest size of an annotation is not matched', () => {
  const pattern = `${'(a|a)?'.repeat(160)}x`;
  const names = Array.from({ length: 1_000 }, () => longestName);
  expect(matched(Array(250).fill(pattern).join(','), names)).toMatch(/at most 100 entries/);
  expect(matched(Array(100).fill(pattern).join(','), names)).toMatch(/at most 1000 characters/);
});

test('a list that is costly for the number of names is not matched', () => {
  const pattern = `${'(?:a?){2}'.repeat(100)}x`;
  const names = Array.from({ length: 20_000 }, () => longestName);
  expect(matched(pattern, names)).toMatch(/shorter regular expressions.*references 20000 names/);
  expect(matched('a+', names.slice(0, 1_000))).toHaveLength(1_000);
});

test('a class costs the same for each character, however many members it has', () => {
  const pattern = `(?:[^${'z'.repeat(970)}]?){330}y`;
  const names = Array.from({ length: 15 }, () => longestName);
  expect(matched(pattern, names)).toEqual([]);
});

test('a name that no object can have is matched by no pattern', () => {
  const names = ['A', 'a_b', `${longestName}a`, 'ä', 'a\n'];
  expect(matched('.*,[^x]*,A,ä', names)).toEqual([]);
});
