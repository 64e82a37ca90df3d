import { expect, test } from 'vitest';
import type { Change } from './store.ts';
import { Subscription } from './subscription.ts';

/** A handler that runs until the test finishes it, with a map as the cache. */
function slowHandler() {
  const cache = new Map<string, number>();
  const told: Change<number>[] = [];
  const errors: unknown[] = [];
  let finish = (_error?: Error) => {};
  const subscription = new Subscription<number>(
    (change) => {
      told.push(change);
      return new Promise<void>((resolve, reject) => {
        finish = (error) => (error ? reject(error) : resolve());
      });
    },
    (key) => cache.get(key),
    (error) => errors.push(error),
  );
  return {
    told,
    errors,
    subscription,
    set(key: string, after: number) {
      const before = cache.get(key);
      cache.set(key, after);
      subscription.notify(before === undefined ? { key, after } : { key, before, after });
    },
    remove(key: string) {
      const before = cache.get(key);
      cache.delete(key);
      if (before !== undefined) subscription.notify({ key, before });
    },
    async finish(error?: Error) {
      finish(error);
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test('what happens while the handler is busy is told once per key, from the state it knew to the present one', async () => {
  const slow = slowHandler();
  slow.set('a', 1);
  for (let n = 2; n <= 1_000; n++) slow.set('a', n);
  slow.set('b', 1);
  expect(slow.told).toEqual([{ key: 'a', after: 1 }]);
  await slow.finish();
  expect(slow.told.slice(1)).toEqual([{ key: 'a', before: 1, after: 1_000 }]);
  await slow.finish();
  expect(slow.told.slice(2)).toEqual([{ key: 'b', after: 1 }]);
});

test('what came and went while the handler was busy is not told, a deletion is', async () => {
  const slow = slowHandler();
  slow.set('a', 1);
  slow.set('b', 1);
  slow.remove('b');
  slow.remove('a');
  await slow.finish();
  expect(slow.told.slice(1)).toEqual([{ key: 'a', before: 1 }]);
});

test('a handler that fails hears of the next change all the same', async () => {
  const slow = slowHandler();
  slow.set('a', 1);
  slow.set('b', 1);
  await slow.finish(new Error('no'));
  expect(slow.told).toHaveLength(2);
  expect(slow.errors).toHaveLength(1);
});

test('after close nothing is told any more, not even what waits', async () => {
  const slow = slowHandler();
  slow.set('a', 1);
  slow.set('b', 1);
  slow.subscription.close();
  await slow.finish();
  expect(slow.told).toHaveLength(1);
});

test('a synchronous handler that changes the cache hears of it after it has finished', () => {
  const order: string[] = [];
  let nested = true;
  const subscription: Subscription<number> = new Subscription<number>(
    ({ key }) => {
      order.push(`begin ${key}`);
      if (nested) {
        nested = false;
        subscription.notify({ key: 'b', after: 1 });
      }
      order.push(`end ${key}`);
    },
    () => 1,
    () => {},
  );
  subscription.notify({ key: 'a', after: 1 });
  expect(order).toEqual(['begin a', 'end a', 'begin b', 'end b']);
});
