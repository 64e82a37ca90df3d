import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { expect, test } from 'vitest';
import { StatusError } from '../answer/status-error.ts';
import { RateLimit } from './rate-limit.ts';

function refusal(limit: RateLimit, address: string, authorization?: string): StatusError | undefined {
  try {
    limit.check(address, authorization);
    return undefined;
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
}

test('who asks too often is told when to come again, and then may', async () => {
  const clock = new ManualClock();
  const limit = new RateLimit({ requestsPerSecond: 0.5, burst: 2 }, clock);
  expect([refusal(limit, 'a', 'x'), refusal(limit, 'a', 'x')]).toEqual([undefined, undefined]);
  const refused = refusal(limit, 'a', 'x');
  expect(refused?.body).toMatchObject({
    code: 429,
    reason: 'TooManyRequests',
    message: 'Rate limit exceeded for this credential; retry after 2 s',
    details: { retryAfterSeconds: 2 },
  });
  expect(refused?.headers).toEqual({ 'retry-after': '2' });
  await clock.advance(2000);
  expect(refusal(limit, 'a', 'x')).toBeUndefined();
});

test('one who asks too often takes nothing from another at the same address', () => {
  const limit = new RateLimit({ requestsPerSecond: 1, burst: 1 }, new ManualClock());
  refusal(limit, 'a', 'x');
  expect(refusal(limit, 'a', 'x')).toBeDefined();
  expect(refusal(limit, 'a', 'y')).toBeUndefined();
});

test('credentials that are made up for each request do not help', () => {
  const limit = new RateLimit({ requestsPerSecond: 1, burst: 2 }, new ManualClock());
  const refused = Array.from({ length: 20 }, (_, n) => refusal(limit, 'a', `made-up-${n}`));
  expect(refused.filter((each) => each === undefined)).toHaveLength(8);
  expect(refused.at(-1)?.message).toBe('Rate limit exceeded for this address; retry after 1 s');
  expect(refusal(limit, 'b')).toBeUndefined();
});

test('0 limits nobody', () => {
  const limit = new RateLimit({ requestsPerSecond: 0, burst: 1 }, new ManualClock());
  for (let n = 0; n < 100; n++) expect(refusal(limit, 'a', 'x')).toBeUndefined();
});
