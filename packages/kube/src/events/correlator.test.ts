import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Correlator } from './correlator.ts';
import type { Occurrence } from './event-object.ts';
import { defaultLimits } from './limits.ts';

const minute = 60_000;
const foo: Occurrence = {
  about: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'foo', uid: 'u1' },
  type: 'Normal',
  reason: 'Activated',
  message: 'version 1 is current',
};
const at = (ms: number) => ({ wallClock: Date.UTC(2026, 0, 1) + ms, monotonic: ms });

function correlator(limits: Partial<typeof defaultLimits> = {}) {
  let names = 0;
  return new Correlator({ ...defaultLimits, ...limits }, () => `n${names++}`);
}

describe('the same event again', () => {
  it('is counted, with the time of the last', () => {
    const events = correlator();
    const first = events.count(foo, at(0));
    expect(events.count(foo, at(5_000))).toBe(first);
    expect(first).toMatchObject({
      name: 'foo.n0',
      count: 2,
      firstMs: at(0).wallClock,
      lastMs: at(5_000).wallClock,
    });
  });

  it.each<[string, Partial<Occurrence>]>([
    ['type', { type: 'Warning' }],
    ['reason', { reason: 'RolledBack' }],
    ['message', { message: 'version 2 is current' }],
    ['object', { about: { ...foo.about, name: 'bar' } }],
    ['object, a namesake', { about: { ...foo.about, uid: 'u2' } }],
    ['part of the object', { about: { ...foo.about, fieldPath: 'data.a' } }],
  ])('is another event with another %s', (_what, change) => {
    const events = correlator();
    expect(events.count({ ...foo, ...change }, at(0))).not.toBe(events.count(foo, at(0)));
  });
});

describe('many that differ only in their message', () => {
  const says = (n: number): Occurrence => ({ ...foo, message: `attempt ${n}` });

  it('are combined from the tenth on', () => {
    const events = correlator();
    const tallies = Array.from({ length: 14 }, (_, n) => events.count(says(n), at(n)));
    expect(tallies.slice(0, 9).map(({ message }) => message)).toEqual(
      Array.from({ length: 9 }, (_, n) => `attempt ${n}`),
    );
    expect(new Set(tallies.slice(9)).size).toBe(1);
    expect(tallies[13]).toMatchObject({ count: 5, message: '(combined from similar events): attempt 13' });
  });

  it('are told apart again when it was quiet for ten minutes', () => {
    const events = correlator();
    for (let n = 0; n < 12; n++) events.count(says(n), at(0));
    expect(events.count(says(12), at(10 * minute)).message).toMatch(/^\(combined/);
    expect(events.count(says(13), at(20 * minute + 1)).message).toBe('attempt 13');
  });
});

describe('whatever happens', () => {
  const occurrence = fc.record({
    name: fc.constantFrom('a', 'b', 'c'),
    reason: fc.constantFrom('R', 'S'),
    message: fc.integer({ min: 0, max: 30 }),
    afterMs: fc.nat({ max: 2 * minute }),
  });
  type Happening = typeof occurrence extends fc.Arbitrary<infer T> ? T : never;
  const toOccurrence = ({ name, reason, message }: Happening): Occurrence => ({
    ...foo,
    about: { ...foo.about, name },
    reason,
    message: String(message),
  });

  it('each occurrence is counted once, and few events are made of many', () => {
    fc.assert(
      fc.property(fc.array(occurrence, { maxLength: 300 }), (happenings) => {
        const events = correlator();
        const tallies = new Set(happenings.map((one) => events.count(toOccurrence(one), at(0))));
        expect([...tallies].reduce((sum, { count }) => sum + count, 0)).toBe(happenings.length);
        for (const group of Map.groupBy(tallies, ({ about, reason }) => about.name + reason).values())
          expect(group.length).toBeLessThanOrEqual(defaultLimits.similarMessages);
        expect(new Set([...tallies].map(({ name }) => name)).size).toBe(tallies.size);
      }),
    );
  });

  it('no object gets more than its share of writes, and every patient one gets some', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 3 * minute }), { maxLength: 200 }), (pauses) => {
        const events = correlator();
        let now = 0;
        let allowed = 0;
        for (const pause of pauses) {
          now += pause;
          if (events.maySpend(foo.about, at(now))) allowed++;
          expect(allowed).toBeLessThanOrEqual(defaultLimits.burst + now / defaultLimits.refillMs);
        }
        expect(allowed).toBeGreaterThanOrEqual(Math.min(pauses.length, defaultLimits.burst));
        expect(events.maySpend(foo.about, at(now + defaultLimits.refillMs))).toBe(true);
      }),
    );
  });

  it('an object that talks too much takes nothing from another', () => {
    const events = correlator();
    for (let n = 0; n < 1000; n++) events.maySpend(foo.about, at(0));
    expect(events.maySpend(foo.about, at(0))).toBe(false);
    expect(events.maySpend({ ...foo.about, name: 'bar' }, at(0))).toBe(true);
  });
});

it('forgets what was not heard of for the longest time', () => {
  const events = correlator({ remembered: 2 });
  const named = (name: string): Occurrence => ({ ...foo, about: { ...foo.about, name } });
  const a = events.count(named('a'), at(0));
  const b = events.count(named('b'), at(1));
  expect(events.count(named('a'), at(2))).toBe(a);
  events.count(named('c'), at(3));
  expect(events.count(named('a'), at(4))).toBe(a);
  expect(events.count(named('b'), at(5))).not.toBe(b);
});
