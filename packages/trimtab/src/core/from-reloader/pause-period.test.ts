import fc from 'fast-check';
import { expect, test } from 'vitest';
import { reloaderKeys } from './annotations.ts';
import { parsePausePeriod } from './pause-period.ts';

const periodOf = (text: string, kind: 'Deployment' | 'StatefulSet' = 'Deployment') =>
  parsePausePeriod({ kind, annotations: { [reloaderKeys.pausePeriod]: text } });

test.each([
  ['5m', 300_000],
  ['1h30m', 5_400_000],
  ['90s', 90_000],
  ['1.5s', 1_500],
  ['250ms', 250],
])('the pause period "%s"', (text, value) => {
  expect(periodOf(text)).toEqual({ value });
});

test.each(['', '5', 'five minutes', '-5m', '5m ago', 'm'])('"%s" is not a pause period', (text) => {
  expect(periodOf(text)).toEqual({ problem: expect.stringContaining('must be a duration such as "5m"') });
});

test('only a Deployment has a pause period', () => {
  expect(periodOf('5m', 'StatefulSet')).toEqual({ value: 0 });
  expect(parsePausePeriod({ kind: 'Deployment', annotations: {} })).toEqual({ value: 0 });
});

test('any text is a period of at least 0 or a problem', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const parsed = periodOf(text);
      if ('value' in parsed) expect(parsed.value).toBeGreaterThanOrEqual(0);
    }),
  );
});
