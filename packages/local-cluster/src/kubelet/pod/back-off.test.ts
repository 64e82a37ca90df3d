import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backOffUntil, goDuration, nextBackOff, usualBackOff } from './back-off.ts';
import type { BackOff } from './container-record.ts';

const seconds = (n: number) => n * 1000;

it('a container that crashes at once waits 0, 10, 20, 40, 80, 160, 300, 300 seconds', () => {
  let entry: BackOff | undefined;
  let now = 0;
  const waits: number[] = [];
  for (let crash = 0; crash < 8; crash++) {
    const until = backOffUntil(entry, now, now, usualBackOff) ?? now;
    waits.push((until - now) / 1000);
    const finishedAt = now;
    now = until;
    entry = nextBackOff(entry, finishedAt, now, usualBackOff);
  }
  expect(waits).toEqual([0, 10, 20, 40, 80, 160, 300, 300]);
});

describe('a container that has run', () => {
  const entry = { ms: seconds(160), updatedAt: 0 };
  it.each([
    ['for less than ten minutes waits as before', 599, seconds(160), seconds(300)],
    ['for ten minutes still does', 600, seconds(160), seconds(300)],
    ['for more than ten minutes begins anew', 600.001, undefined, seconds(10)],
  ])('%s', (_, ranSeconds, wait, next) => {
    const end = seconds(ranSeconds);
    const until = backOffUntil(entry, end, end, usualBackOff);
    expect(until).toBe(wait === undefined ? undefined : end + wait);
    expect(nextBackOff(entry, end, end, usualBackOff).ms).toBe(next);
  });
});

it('never waits longer than the limit, nor shorter than the last time while it keeps crashing', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 500_000 }), { maxLength: 30 }), (runs) => {
      let entry: BackOff | undefined;
      let now = 0;
      for (const run of runs) {
        now += run;
        const until = backOffUntil(entry, now, now, usualBackOff) ?? now;
        expect(until - now).toBeLessThanOrEqual(usualBackOff.maxMs);
        const next = nextBackOff(entry, now, until, usualBackOff);
        expect(next.ms).toBeGreaterThanOrEqual(entry?.ms ?? usualBackOff.baseMs);
        entry = next;
        now = until;
      }
    }),
  );
});

it.each([
  [50, '50ms'],
  [10_000, '10s'],
  [1_500, '1.5s'],
  [160_000, '2m40s'],
  [300_000, '5m0s'],
  [3_661_000, '1h1m1s'],
])('%d ms reads %s', (ms, text) => {
  expect(goDuration(ms)).toBe(text);
});
