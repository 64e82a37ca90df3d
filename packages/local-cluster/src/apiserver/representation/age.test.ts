import { expect, test } from 'vitest';
import { humanDuration } from './age.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

test.each([
  [0, '0s'],
  [119 * second, '119s'],
  [2 * minute, '2m'],
  [3 * minute + 12 * second, '3m12s'],
  [12 * minute + 5 * second, '12m'],
  [3 * hour + 5 * minute, '3h5m'],
  [10 * hour, '10h'],
  [2 * day + 4 * hour, '2d4h'],
  [12 * day + 4 * hour, '12d'],
  [3 * 365 * day + 3 * day, '3y3d'],
  [-5 * second, '<invalid>'],
])('%d ms is shown as %s', (ms, text) => {
  expect(humanDuration(ms)).toBe(text);
});
