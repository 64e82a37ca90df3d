import { expect, test } from 'vitest';
import { retryAfterMs, verdictOf } from './retry.ts';

test.each([
  [[200, 202, 204], 'delivered'],
  [[408, 429, 500, 502, 503, 504], 'retry'],
  [[301, 307, 400, 401, 404, 410], 'rejected'],
])('%j means %s', (codes, verdict) => {
  for (const code of codes) expect(verdictOf(code)).toBe(verdict);
});

test('Retry-After is read as seconds or a date, and limited', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  expect(retryAfterMs('30', now)).toBe(30_000);
  expect(retryAfterMs('Thu, 01 Jan 2026 00:00:20 GMT', now)).toBe(20_000);
  for (const text of [undefined, '', 'soon', 'Thu, 01 Jan 2025 00:00:20 GMT'])
    expect(retryAfterMs(text, now)).toBe(0);
  expect(retryAfterMs('86400', now)).toBe(600_000);
});
