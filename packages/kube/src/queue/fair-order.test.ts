import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FairOrder } from './fair-order.ts';

function takeAll(order: FairOrder): string[] {
  const taken: string[] = [];
  for (let key = order.take(); key !== undefined; key = order.take()) taken.push(key);
  return taken;
}

test('a thousand keys of one namespace delay a key of another by one turn', () => {
  const order = new FairOrder();
  for (let n = 0; n < 1_000; n++) order.add(`crowd/${n}`);
  order.add('lonely/foo');
  expect(takeAll(order).indexOf('lonely/foo')).toBe(1);
});

test('keys without a namespace take turns with the others', () => {
  const order = new FairOrder();
  for (const key of ['node-1', 'node-2', 'shop/a', 'shop/b']) order.add(key);
  expect(takeAll(order)).toEqual(['node-1', 'shop/a', 'node-2', 'shop/b']);
});

test('whatever is added comes out once, in its order within a namespace, and nobody waits for two turns of another', () => {
  const key = fc
    .tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(5))
    .map(([namespace, n]) => `${namespace}/${n}`);
  fc.assert(
    fc.property(fc.array(key, { maxLength: 40 }), (keys) => {
      const order = new FairOrder();
      const added = keys.filter((each) => order.add(each));
      expect(added).toEqual([...new Set(keys)]);
      expect(order.size).toBe(added.length);
      const taken = takeAll(order);
      for (const namespace of ['a/', 'b/', 'c/']) {
        const mine = (all: string[]) => all.filter((each) => each.startsWith(namespace));
        expect(mine(taken)).toEqual(mine(added));
        // Between two keys of this namespace, each of the other two namespaces gets at most one key.
        const positions = taken.flatMap((each, index) => (each.startsWith(namespace) ? [index] : []));
        for (const [i, position] of positions.entries())
          expect(position - (positions[i - 1] ?? -1)).toBeLessThanOrEqual(3);
      }
    }),
  );
});
