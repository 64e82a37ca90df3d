import { expect, it } from 'vitest';
import { budgetText, missesBudget } from './budget.ts';

it('says the limit in the unit of the figure or as a multiple of the peer', () => {
  expect(budgetText({ atMost: 10 }, 's', 'sketch')).toBe('≤ 10 s');
  expect(budgetText({ atLeast: 2_000 }, '/s', 'sketch')).toBe('≥ 2,000 /s');
  expect(budgetText({ atMost: 0 }, '', 'sketch')).toBe('≤ 0');
  expect(budgetText({ atMostTimesPeer: 1.25 }, 'ms', 'sketch')).toBe('≤ 1.25 × sketch');
});

it('is missed above or below the limit, and met at the limit', () => {
  expect(missesBudget({ atMost: 10 }, 10, undefined)).toBe(false);
  expect(missesBudget({ atMost: 10 }, 10.1, undefined)).toBe(true);
  expect(missesBudget({ atLeast: 10 }, 10, undefined)).toBe(false);
  expect(missesBudget({ atLeast: 10 }, 9.9, undefined)).toBe(true);
});

it('compares a multiple of the peer with the ratio', () => {
  expect(missesBudget({ atMostTimesPeer: 1.25 }, 1_000, 1.2)).toBe(false);
  expect(missesBudget({ atMostTimesPeer: 1.25 }, 1, 1.3)).toBe(true);
  expect(missesBudget({ atMostTimesPeer: 1.25 }, 1, undefined)).toBe(false);
});
