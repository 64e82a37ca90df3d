import { expect, test } from 'vitest';
import { parseWait } from './wait-parameter.ts';

test.each([
  [null, 0],
  ['0', 0],
  ['500ms', 500],
  ['30s', 30_000],
  ['1m', 60_000],
  ['1m30s', 90_000],
  ['5m', 300_000],
])('?wait=%s is %i ms', (text, ms) => {
  expect(parseWait(text)).toBe(ms);
});

test.each(['', '30', 'soon', '-1s', '30 s'])('?wait=%s is not a duration', (text) => {
  expect(() => parseWait(text)).toThrow(
    expect.objectContaining({
      status: 400,
      message: `wait=${JSON.stringify(text)} is not a duration: write it as ?wait=30s, 500ms or 1m`,
    }),
  );
});

test('a longer wait than the maximum is refused', () => {
  expect(() => parseWait('5m1ms')).toThrow('wait="5m1ms" is longer than the maximum of 5m');
});

test('a long value is shortened in the message', () => {
  expect(() => parseWait('x'.repeat(10_000))).toThrow(/^wait="x{20}…" is not/);
});
