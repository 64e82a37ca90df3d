import { expect, test } from 'vitest';
import { Quota } from './quota.ts';

test('a holder has a limit, and all holders together', () => {
  const quota = new Quota({ total: 5, perHolder: 3 });
  expect([quota.take('a', 2), quota.take('a', 2), quota.take('a', 1)]).toEqual([
    undefined,
    'holder',
    undefined,
  ]);
  expect([quota.take('b', 3), quota.take('b', 2), quota.take('c', 1)]).toEqual(['total', undefined, 'total']);
  expect(quota.used).toBe(5);
  quota.release('a', 3);
  expect([quota.used, quota.take('c', 3)]).toEqual([2, undefined]);
});
