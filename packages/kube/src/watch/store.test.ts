import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Change, Store } from './store.ts';

interface Workload {
  configs: string[];
}

const keys = fc.constantFrom('shop/a', 'shop/b', 'blog/a', 'blog/b');
const configs = fc.uniqueArray(fc.constantFrom('foo', 'bar', 'baz'));
const operation = fc.oneof(
  fc.record({ put: keys, configs }),
  fc.record({ remove: keys }),
  fc.record({ keepOnly: fc.uniqueArray(keys) }),
);

test('the index finds exactly the objects that have the index key, after any changes', () => {
  fc.assert(
    fc.property(fc.array(operation), (operations) => {
      const store = new Store<Workload, 'byConfig'>({ byConfig: (workload) => workload.configs }, () => {});
      const model = new Map<string, Workload>();
      operations.forEach((op, version) => {
        if ('put' in op) {
          store.put(op.put, String(version), { configs: op.configs });
          model.set(op.put, { configs: op.configs });
        } else if ('remove' in op) {
          store.remove(op.remove);
          model.delete(op.remove);
        } else {
          store.keepOnly(new Set(op.keepOnly));
          const kept = new Set<string>(op.keepOnly);
          for (const key of model.keys()) if (!kept.has(key)) model.delete(key);
        }
        for (const config of ['foo', 'bar', 'baz']) {
          const users = [...model].filter(([, workload]) => workload.configs.includes(config));
          expect(new Set(store.keysBy('byConfig', config))).toEqual(new Set(users.map(([key]) => key)));
        }
        expect(new Map(store.entries())).toEqual(model);
      });
    }),
  );
});

test('each change is told once, with what was there before and what is there now', () => {
  const told: Change<string>[] = [];
  const store = new Store<string>({}, (change) => told.push(change));
  store.put('a', '1', 'one');
  store.put('a', '2', 'two');
  store.remove('a');
  store.remove('a');
  expect(told).toEqual([
    { key: 'a', after: 'one' },
    { key: 'a', before: 'one', after: 'two' },
    { key: 'a', before: 'two' },
  ]);
});
