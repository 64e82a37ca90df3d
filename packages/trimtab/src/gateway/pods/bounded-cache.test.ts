import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { expect, test } from 'vitest';
import { BoundedCache } from './bounded-cache.ts';

function counting(maxBytes: number) {
  const cache = new BoundedCache<string>(maxBytes);
  const made: string[] = [];
  const make = (key: string, bytes: number | undefined) =>
    cache.get(key, async () => {
      made.push(key);
      return { value: key, bytes };
    });
  return { get: (key: string) => make(key, 10), passing: (key: string) => make(key, undefined), made, cache };
}

test('what many ask for at once is made once', async () => {
  const { get, made } = counting(100);
  expect(await Promise.all([get('a'), get('a'), get('a')])).toEqual(['a', 'a', 'a']);
  expect(await get('a')).toBe('a');
  expect(made).toEqual(['a']);
});

test('when there is no more room, what nobody asked for the longest time goes', async () => {
  const { get, made } = counting(20);
  await get('a');
  await get('b');
  await get('a');
  await get('c');
  await get('a');
  expect(made).toEqual(['a', 'b', 'c']);
  await get('b');
  expect(made).toEqual(['a', 'b', 'c', 'b']);
});

test('what is not to be kept is made anew', async () => {
  const { passing, made } = counting(20);
  await passing('a');
  await passing('a');
  expect(made).toEqual(['a', 'a']);
});

test('a failure is told to all who wait, and is not kept', async () => {
  const { cache, get } = counting(20);
  const fail = () => cache.get('a', async () => Promise.reject(new Error('down')));
  await expect(Promise.all([fail(), fail()])).rejects.toThrow('down');
  expect(await get('a')).toBe('a');
});

test('a value is made anew when it is too old, and its size counts once', async () => {
  const clock = new ManualClock();
  const cache = new BoundedCache<number>(20, { clock, maxAgeMs: 1_000 });
  let made = 0;
  const get = (key: string) => cache.get(key, async () => ({ value: ++made, bytes: 10 }));
  expect(await get('a')).toBe(1);
  await clock.advance(999);
  expect(await get('a')).toBe(1);
  await clock.advance(1);
  expect(await get('a')).toBe(2);
  expect([await get('b'), await get('a'), await get('b')]).toEqual([3, 2, 3]);
});

test('a value that is too old before it is made is not kept', async () => {
  const clock = new ManualClock();
  const cache = new BoundedCache<string>(10, { clock, maxAgeMs: 1_000 });
  const slow = Promise.withResolvers<{ value: string; bytes: number }>();
  const first = cache.get('a', () => slow.promise);
  await clock.advance(1_000);
  const second = cache.get('a', async () => ({ value: 'second', bytes: 10 }));
  slow.resolve({ value: 'first', bytes: 10 });
  expect([await first, await second]).toEqual(['first', 'second']);
  expect(await cache.get('a', async () => ({ value: 'third', bytes: 10 }))).toBe('second');
});
