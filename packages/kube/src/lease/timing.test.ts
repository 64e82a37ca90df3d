import { expect, it } from 'vitest';
import { leaseTiming } from './timing.ts';

it('is 15, 10 and 2 seconds unless told', () => {
  expect(leaseTiming()).toEqual({ leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 });
});

it.each([
  ['a deadline that is not before the end of the Lease', { renewDeadlineMs: 15_000 }],
  ['no room for a second try', { retryPeriodMs: 9_000 }],
  ['a retry period of nothing', { retryPeriodMs: 0 }],
  ['not a number', { leaseDurationMs: Number.NaN }],
])('refuses %s', (_story, given) => {
  expect(() => leaseTiming(given)).toThrow(RangeError);
});
