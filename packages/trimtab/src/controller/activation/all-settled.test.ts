import { expect, test } from 'vitest';
import { allSettled } from './all-settled.ts';

test('all of them have come to their end when one has failed', async () => {
  const late = Promise.withResolvers<string>();
  let over = false;
  const all = allSettled([Promise.reject(new Error('refused')), late.promise]).finally(() => {
    over = true;
  });
  const seen = expect(all).rejects.toThrow('refused');
  await new Promise((resolve) => setImmediate(resolve));
  expect(over).toBe(false);
  late.resolve('written');
  await seen;
  expect(over).toBe(true);
});

test('answers what each of them answered, in order', async () => {
  expect(await allSettled([Promise.resolve(1), Promise.resolve(2)])).toEqual([1, 2]);
});
