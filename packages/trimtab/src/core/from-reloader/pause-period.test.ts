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
  ['1.h.5m', 3_630_000],
  ['+5m', 300_000],
  ['0', 0],
  ['+0', 0],
  ['1500us', 1.5],
  // The micro sign and the Greek letter.
  ['1500\u00b5s', 1.5],
  ['1500\u03bcs', 1.5],
  ['2562047h47m16s', 9_223_372_036_000],
])('the pause period "%s"', (text, value) => {
  expect(periodOf(text)).toEqual({ value });
});

test.each([
  ...['', '5', 'five minutes', '-5m', '5m ago', 'm'],
  ...['+', '++5m', '.', '.h', '0 m', '1.5.5h', '5m+5m', '٥m'],
  // Longer than a duration of Go can be.
  '2562047h48m',
  `${'9'.repeat(60)}h`,
  '1s'.repeat(33),
])('"%s" is not a pause period', (text) => {
  expect(periodOf(text)).toEqual({ problem: expect.stringContaining('must be a duration such as "5m"') });
});

test('only a Deployment has a pause period', () => {
  expect(periodOf('5m', 'StatefulSet')).toEqual({ value: 0 });
  expect(parsePausePeriod({ kind: 'Deployment', annotations: {} })).toEqual({ value: 0 });
});

test('a text of the largest size of an annotation is read at once', () => {
  // An expression that tries each division of the digits would take hours.
  for (const text of ['1'.repeat(250_000), '1.'.repeat(125_000), '1s'.repeat(125_000)])
    expect(periodOf(text)).toEqual({ problem: expect.stringContaining('must be a duration such as "5m"') });
});

test('any text is a period of at least 0 or a problem', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const parsed = periodOf(text);
      if ('value' in parsed) expect(parsed.value).toBeGreaterThanOrEqual(0);
    }),
  );
});

test('parts of a period add up', () => {
  const unitMs = { ns: 1e-6, us: 1e-3, ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
  const part = fc.tuple(
    fc.integer({ min: 0, max: 9_999 }),
    fc.constantFrom('', '.', '.5'),
    fc.constantFrom(...(Object.keys(unitMs) as (keyof typeof unitMs)[])),
  );
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
      const sum = parts.reduce(
        (ms, [count, fraction, unit]) => ms + Number(`${count}${fraction}`) * unitMs[unit],
        0,
      );
      expect(periodOf(parts.flat().join(''))).toEqual({ value: sum });
    }),
  );
});
