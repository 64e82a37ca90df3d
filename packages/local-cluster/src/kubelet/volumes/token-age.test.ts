import { expect, test } from 'vitest';
import { isExpired, isRenewalDue } from './token-age.ts';

const hourMs = 3600_000;
const token = (lifeMs: number) => ({ token: 't', issuedAt: 1_000, lifeMs });

test.each([
  [hourMs, hourMs * 0.8 - 1, false],
  [hourMs, hourMs * 0.8, true],
  [600_000, 479_999, false],
  [600_000, 480_000, true],
  [48 * hourMs, 24 * hourMs - 1, false],
  [48 * hourMs, 24 * hourMs, true],
])('a token that lives %i ms is renewed after %i ms: %s', (lifeMs, age, expected) => {
  expect(isRenewalDue(token(lifeMs), 1_000 + age)).toBe(expected);
});

test('a token is good until the end of its life', () => {
  expect(isExpired(token(hourMs), 1_000 + hourMs - 1)).toBe(false);
  expect(isExpired(token(hourMs), 1_000 + hourMs)).toBe(true);
});
