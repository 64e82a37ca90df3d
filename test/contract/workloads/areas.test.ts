import { globSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Contract } from '../api/contract.ts';

const here = import.meta.dirname;
const namesIn = (folder: string, suffix: string) =>
  globSync(`${folder}/*${suffix}`, { cwd: here })
    .map((file) => path.basename(file, suffix))
    .sort();
const areas = namesIn('areas', '.ts');

test.each([
  ['kubernetes', '.level1.test.ts'],
  ['local', '.test.ts'],
])('every area of the controllers is held on %s', (folder, suffix) => {
  // A property may go further on one engine than the cases do on both.
  const files = namesIn(folder, suffix).filter((file) => !file.endsWith('.property'));
  expect(files).toEqual(areas);
});

test('no two cases of the controllers have the same name', async () => {
  const contracts = await Promise.all(
    areas.map(async (area): Promise<Contract[]> => {
      const exported: object = await import(path.join(here, 'areas', `${area}.ts`));
      return Object.values(exported).filter((each) => 'area' in each && 'cases' in each);
    }),
  );
  expect(contracts.map(({ length }) => length)).toEqual(areas.map(() => 1));
  const cases = contracts.flat().flatMap(({ area, cases: all }) => all.map(({ name }) => `${area}: ${name}`));
  expect(new Set(cases).size).toBe(cases.length);
});
