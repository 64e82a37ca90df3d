import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Recent } from './recent.ts';

const stored = (key: string, value: string) => ({ key, value, revision: 1, createRevision: 1, version: 1 });

test('what was not asked for longest goes first', () => {
  const recent = new Recent(6);
  for (const key of ['a', 'b', 'c']) recent.set(stored(key, 'xx'));
  recent.get('a');
  recent.set(stored('d', 'xx'));
  expect(['a', 'b', 'c', 'd'].filter((key) => recent.get(key) !== undefined)).toEqual(['a', 'c', 'd']);
});

test('whatever is put in, it never holds more than it may, and never anything but the newest', () => {
  const step = fc.record({
    key: fc.constantFrom('a', 'b', 'c'),
    value: fc.option(fc.string({ maxLength: 9 })),
  });
  fc.assert(
    fc.property(fc.array(step), fc.nat(20), (steps, most) => {
      const recent = new Recent(most);
      const newest = new Map<string, string>();
      for (const { key, value } of steps) {
        if (value === null) recent.delete(key);
        else recent.set(stored(key, value));
        if (value === null) newest.delete(key);
        else newest.set(key, value);
        const held = ['a', 'b', 'c'].flatMap((each) => recent.get(each) ?? []);
        expect(held.reduce((sum, each) => sum + each.value.length, 0)).toBeLessThanOrEqual(most);
        for (const each of held) expect(each.value).toBe(newest.get(each.key));
      }
    }),
  );
});
