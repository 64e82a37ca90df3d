import { existsSync, globSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Contract } from './contract.ts';
import { differences } from './differences.ts';

const here = import.meta.dirname;
const areas = globSync('areas/*.ts', { cwd: here }).map((file) => path.basename(file, '.ts'));
const engines = [
  { folder: 'kubernetes', suffix: '.level1.test.ts' },
  { folder: 'local', suffix: '.test.ts' },
].filter(({ folder }) => existsSync(path.join(here, folder)));

async function contractsIn(area: string): Promise<Contract[]> {
  const exported: object = await import(path.join(here, 'areas', `${area}.ts`));
  return Object.values(exported).filter((each) => 'area' in each && 'cases' in each);
}

describe.each(engines)('on $folder', ({ folder, suffix }) => {
  test('every area has its test file, and no test file lacks its area', () => {
    const files = globSync(`${folder}/*${suffix}`, { cwd: here }).map((file) => path.basename(file, suffix));
    expect(files.sort()).toEqual(areas.toSorted());
  });
});

test('the contract has at least 250 cases, and every difference names one of them', async () => {
  const contracts = (await Promise.all(areas.map(contractsIn))).flat();
  expect(contracts).toHaveLength(areas.length);
  const cases = contracts.flatMap(({ area, cases }) => cases.map(({ name }) => `${area}: ${name}`));
  expect(cases.length).toBeGreaterThanOrEqual(250);
  expect(new Set(cases).size).toBe(cases.length);
  expect(differences.filter((difference) => !cases.includes(difference.case))).toEqual([]);
});
