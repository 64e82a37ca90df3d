import { globSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Contract } from '../api/contract.ts';

const here = import.meta.dirname;
/** `web` for `web.ts`, `web.test.ts`, `web.level1.test.ts` and `web.level2.test.ts`. */
const namesIn = (folder: string, ending: RegExp) =>
  globSync(`${folder}/*.ts`, { cwd: here })
    .map((file) => path.basename(file))
    // A property may go further on one engine than the cases do on both.
    .filter((file) => ending.test(file) && !file.includes('.property.'))
    .map((file) => file.replace(ending, ''))
    .sort();
const areas = namesIn('areas', /\.ts$/);

test.each([
  ['kubernetes', /\.level[12]\.test\.ts$/],
  ['local', /\.test\.ts$/],
])('every area of the controllers is held on %s', (folder, ending) => {
  expect(namesIn(folder, ending)).toEqual(areas);
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
