import { expect, test } from 'vitest';
import { ageOf, humanDuration } from './age.ts';

const s = 1000;
const m = 60 * s;
const h = 60 * m;
const d = 24 * h;

// The cases of k8s.io/apimachinery/pkg/util/duration.
test.each<[number, string]>([
  [-3 * s, '<invalid>'],
  [-1, '0s'],
  [0, '0s'],
  [s, '1s'],
  [70 * s, '70s'],
  [2 * m - 1, '119s'],
  [2 * m, '2m'],
  [2 * m + 30 * s, '2m30s'],
  [10 * m - 1, '9m59s'],
  [10 * m + 30 * s, '10m'],
  [3 * h - 1, '179m'],
  [3 * h, '3h'],
  [3 * h + 30 * m, '3h30m'],
  [8 * h - 1, '7h59m'],
  [8 * h + 30 * m, '8h'],
  [2 * d - 1, '47h'],
  [2 * d, '2d'],
  [2 * d + 12 * h, '2d12h'],
  [8 * d - 1, '7d23h'],
  [8 * d + 12 * h, '8d'],
  [2 * 365 * d - 1, '729d'],
  [2 * 365 * d, '2y'],
  [2 * 365 * d + 30 * d, '2y30d'],
  [8 * 365 * d, '8y'],
])('%i ms is %s, as kubectl writes it', (ms, text) => {
  expect(humanDuration(ms)).toBe(text);
});

test('the age of an object without a time is not known', () => {
  expect(ageOf('2026-01-01T00:00:00Z', Date.parse('2026-01-01T00:05:01Z'))).toBe('5m1s');
  expect(ageOf(undefined, 0)).toBe('<unknown>');
  expect(ageOf('tomorrow', 0)).toBe('<unknown>');
});
