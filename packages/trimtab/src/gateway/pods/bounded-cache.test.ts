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
