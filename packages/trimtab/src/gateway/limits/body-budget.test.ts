import { expect, test } from 'vitest';
import { StatusError } from '../answer/status-error.ts';
import { BodyBudget } from './body-budget.ts';

const mebibyte = 1024 * 1024;

function codeOf(work: () => void): number {
  try {
    work();
    return 200;
  } catch (error) {
    if (error instanceof StatusError) return error.body.code;
    throw error;
  }
}

test('a caller has a budget over all its requests, and gets it back when they are done', () => {
  const budget = new BodyBudget();
  const [first, second, other] = [budget.open('a'), budget.open('a'), budget.open('b')];
  first.charge(10 * mebibyte);
  expect(codeOf(() => second.charge(10 * mebibyte))).toBe(429);
  expect(codeOf(() => other.charge(10 * mebibyte))).toBe(200);
  expect(budget.used).toBe(20 * mebibyte);
  first.close();
  first.close();
  first.charge(mebibyte);
  expect(budget.used).toBe(10 * mebibyte);
  expect(codeOf(() => second.charge(10 * mebibyte))).toBe(200);
});

test('all callers together have a budget', () => {
  const budget = new BodyBudget();
  const codes = Array.from({ length: 5 }, (_, caller) =>
    codeOf(() => budget.open(`${caller}`).charge(16 * mebibyte)),
  );
  expect(codes).toEqual([200, 200, 200, 200, 503]);
});
