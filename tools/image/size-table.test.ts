import { expect, test } from 'vitest';
import { isOverBudget, sizeTable } from './size-table.ts';

const row = { image: 'app', platform: 'linux/amd64', uncompressed: 120e6, budget: 45e6 };

test('sizes are printed in megabytes with the budget', () => {
  const rows = [
    { ...row, compressed: 44.96e6 },
    { ...row, platform: 'linux/arm64', compressed: 45_000_001 },
  ];
  expect(sizeTable(rows).split('\n')).toEqual([
    'IMAGE   PLATFORM      COMPRESSED   UNCOMPRESSED   BUDGET',
    'app     linux/amd64   45.0 MB      120.0 MB       45.0 MB   ok',
    'app     linux/arm64   45.0 MB      120.0 MB       45.0 MB   over budget',
  ]);
  expect(rows.map(isOverBudget)).toEqual([false, true]);
});
