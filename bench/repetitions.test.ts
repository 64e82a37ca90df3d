import { expect, it } from 'vitest';
import { limitMinutes, repeatAgain } from './repetitions.ts';

const steady = { steady: true, elapsedMs: 0 };
const varying = { steady: false, elapsedMs: 0 };

it('repeats a row three times even when it is steady', () => {
  expect(repeatAgain({ repetitions: 2, ...steady }, undefined)).toBe(true);
  expect(repeatAgain({ repetitions: 3, ...steady }, undefined)).toBe(false);
});

it('repeats a varying row up to seven times', () => {
  expect(repeatAgain({ repetitions: 6, ...varying }, undefined)).toBe(true);
  expect(repeatAgain({ repetitions: 7, ...varying }, undefined)).toBe(false);
});

it('starts no repetition after the time limit', () => {
  const late = { steady: false, elapsedMs: limitMinutes * 60_000 };
  expect(repeatAgain({ repetitions: 1, ...late }, undefined)).toBe(false);
});

it('runs exactly as many repetitions as the user has chosen', () => {
  expect(repeatAgain({ repetitions: 1, ...varying }, 1)).toBe(false);
  expect(repeatAgain({ repetitions: 8, ...steady }, 9)).toBe(true);
});
