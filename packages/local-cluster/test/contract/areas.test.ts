import { globSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { writtenContracts } from './api/contract.ts';
import { differences } from './api/differences.ts';

const here = import.meta.dirname;
const areas = globSync('*/areas/*.ts', { cwd: here });

test('the contract has at least 250 cases, no two of one name, and every difference names one of them', async () => {
  for (const area of areas) await import(path.join(here, area));
  expect(writtenContracts).toHaveLength(areas.length);
  const cases = writtenContracts.flatMap(({ area, cases }) => cases.map(({ name }) => `${area}: ${name}`));
  expect(cases.length).toBeGreaterThanOrEqual(250);
  expect(new Set(cases).size).toBe(cases.length);
  expect(differences.filter((difference) => !cases.includes(difference.case))).toEqual([]);
});

test('every area runs on both engines', () => {
  expect(areas.filter((file) => !/\.(cluster|containers)\.test\.ts$/.test(file))).toEqual([]);
});
