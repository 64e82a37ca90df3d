import { expect, test } from 'vitest';
import { type AccessLogMode, isLogged } from './is-logged.ts';

test.each<[mode: AccessLogMode, sample: number, hasFailed: boolean, random: number, logged: boolean]>([
  ['all', 1, false, 0.999, true],
  ['all', 100, false, 0.0099, true],
  ['all', 100, false, 0.01, false],
  ['all', 100, true, 0.999, true],
  ['failures', 1, false, 0, false],
  ['failures', 100, true, 0.999, true],
  ['off', 1, true, 0, false],
])('%s, one of %i, failed %s, with %f: %s', (mode, sample, hasFailed, random, logged) => {
  expect(isLogged({ mode, sample }, hasFailed, random)).toBe(logged);
});
