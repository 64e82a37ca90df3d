import { globSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { faultsOnBoth, isInCi } from './fault-runs.ts';

const root = path.resolve(import.meta.dirname, '../../../..');
const random = 'packages/trimtab/test/faults/random.faults.test.ts';

test('every family of fault runs but the random ones is for both engines', () => {
  const found = globSync('packages/trimtab/test/faults/*.faults.test.ts', { cwd: root });
  expect(found.filter((file) => file !== random).toSorted()).toEqual(faultsOnBoth.toSorted());
});

test.each([...faultsOnBoth, random])('CI has at least every third run of %s', (file) => {
  const places = Array.from({ length: 30 }, (_, place) => place);
  expect(places.filter((place) => isInCi(file, place)).length).toBeGreaterThanOrEqual(10);
  expect(isInCi(file, 0)).toBe(true);
});

test('CI has every kill before and after a write', () => {
  expect(
    [0, 1, 2, 3, 58, 59].every((place) =>
      isInCi('packages/trimtab/test/faults/killed.faults.test.ts', place),
    ),
  ).toBe(true);
});
