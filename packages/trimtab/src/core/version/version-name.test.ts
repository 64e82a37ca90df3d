import { describe, expect, test } from 'vitest';
import { automaticName, automaticPatch, versionNameProblem } from './version-name.ts';

describe('a version may be called', () => {
  test.each(['1.0.0', 'initial release', 'v2', 'Ünïcode 版本 🚢', 'a/b', 'Current', 'x'.repeat(200)])(
    '%s',
    (name) => {
      expect(versionNameProblem(name)).toBeUndefined();
    },
  );
});

describe('a version may not be called', () => {
  test.each([
    ['', 'must not be empty'],
    ['current', 'reserved'],
    ['..', 'paths'],
    [' 1.0.0', 'white space'],
    ['two\nlines', 'one line'],
    ['two\u2028lines', 'one line'],
    ['x'.repeat(254), 'no more than 253'],
  ])('%j', (name, problem) => {
    expect(versionNameProblem(name)).toContain(problem);
  });
});

test('automatic names are told from those that only look alike', () => {
  expect(automaticPatch(automaticName(12))).toBe(12);
  for (const name of ['1.0', '1.0.01', '1.0.-1', '1.0.1 ', '2.0.1', '1.0.1234567890123456']) {
    expect(automaticPatch(name)).toBeUndefined();
  }
});
