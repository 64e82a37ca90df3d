import { expect, test } from 'vitest';
import { StatusError } from '../answer/status-error.ts';
import { UnsentBudget } from './unsent-budget.ts';

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

test('a caller has a budget over all its responses, and gets it back as they are sent', () => {
  const budget = new UnsentBudget();
  const open = (caller: string) => budget.open(caller, `address of ${caller}`);
  const [first, second, other] = [open('a'), open('a'), open('b')];
  first.charge(20 * mebibyte);
  expect(codeOf(() => second.charge(20 * mebibyte))).toBe(429);
  expect(second.fits(20 * mebibyte)).toBe(false);
  expect(codeOf(() => other.charge(20 * mebibyte))).toBe(200);
  expect(budget.used).toBe(40 * mebibyte);
  first.release(10 * mebibyte);
  expect(codeOf(() => second.charge(20 * mebibyte))).toBe(200);
  for (const account of [first, first, second]) account.close();
  expect(budget.used).toBe(20 * mebibyte);
});

test('what is sent after a response is closed changes nothing', () => {
  const budget = new UnsentBudget();
  const account = budget.open('a', '192.0.2.1');
  account.charge(mebibyte);
  account.close();
  account.release(mebibyte);
  account.charge(mebibyte);
  account.note(mebibyte);
  expect(budget.used).toBe(0);
});

test('all callers together have a budget', () => {
  const budget = new UnsentBudget();
  const codes = Array.from({ length: 5 }, (_, caller) =>
    codeOf(() => budget.open(`${caller}`, `10.0.0.${caller}`).charge(32 * mebibyte)),
  );
  expect(codes).toEqual([200, 200, 200, 200, 503]);
});

test('the response to a write is never refused: the next requests of the caller are', () => {
  const budget = new UnsentBudget();
  const open = (caller: string) => budget.open(caller, `address of ${caller}`);
  const account = open('a');
  account.note(40 * mebibyte);
  expect(budget.used).toBe(40 * mebibyte);
  expect(codeOf(() => open('a').admitWrite())).toBe(429);
  expect(codeOf(() => open('b').admitWrite())).toBe(200);
  account.close();
  expect(codeOf(() => open('a').admitWrite())).toBe(200);
});

test('an address has half of the budget, however many callers it claims to be', () => {
  const budget = new UnsentBudget();
  const codes = Array.from({ length: 3 }, (_, caller) =>
    codeOf(() => budget.open(`${caller}`, '192.0.2.1').charge(32 * mebibyte)),
  );
  expect(codes).toEqual([200, 200, 429]);
  expect(budget.used).toBe(64 * mebibyte);
  const another = budget.open('another', '192.0.2.1');
  expect([another.fits(1), codeOf(() => another.admitWrite())]).toEqual([false, 429]);
  expect(codeOf(() => another.charge(1))).toBe(429);
  const elsewhere = budget.open('0', '192.0.2.2');
  expect(codeOf(() => elsewhere.charge(1))).toBe(429);
  expect(codeOf(() => budget.open('another', '192.0.2.2').charge(32 * mebibyte))).toBe(200);
});
