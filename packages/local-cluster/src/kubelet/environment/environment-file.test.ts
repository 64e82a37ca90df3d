import { expect, test } from 'vitest';
import { environmentFileValue } from './environment-file.ts';

test.each([
  ["K='v'", 'v'],
  ["  K='v' # why\n", 'v'],
  ["# K='no'\n\nK='v'", 'v'],
  ["A='1'\nK='two\nlines'\nB='3'", 'two\nlines'],
  ["A='1\n2\n3'\r\nK='v'\r\n", 'v'],
  ['K=\'$(A) "x" \\n #\'', '$(A) "x" \\n #'],
  ["K= 'v'", ''],
  ["A= 'v'\nK='w'", 'w'],
  ["A='1'", ''],
  ["K='first'\nK='second'", 'first'],
  ["K='v'\nthis is not read any more", 'v'],
  ['', ''],
])('%j says %j', (text, expected) => {
  expect(environmentFileValue(text, 'K')).toBe(expected);
});

test.each([
  ['K', "line 1: missing '='"],
  ["\n='x'", 'line 2: empty variable name'],
  ["K ='x'", "line 1: whitespace before '=' is not allowed"],
  ['A=secret', 'line 1: value must be enclosed in single quotes'],
  ["A='1'\nK='secret", 'line 2: unclosed single quote'],
  ["A='x'secret\nK='v'", 'line 1: unexpected content after closing quote'],
])('%j is refused by its line, and its content is kept to itself', (text, message) => {
  const read = () => environmentFileValue(text, 'K');
  expect(read).toThrow(`invalid environment variable format at ${message}`);
  expect(read).not.toThrow('secret');
});
