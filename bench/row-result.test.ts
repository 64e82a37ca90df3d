import { expect, it } from 'vitest';
import type { Figure } from './row.ts';
import { combine, unsteady } from './row-result.ts';

const repetition = (...figures: Figure[]) => ({ ours: 'ours', peer: 'sketch', how: '', figures });
const p50 = (ours: number, peer: number) =>
  repetition({ what: 'p50', unit: 'ms', ours, peer, budget: { atMostTimesPeer: 1.25 } });

it('divides by the peer of the same repetition', () => {
  const [figure] = combine([p50(10, 10), p50(60, 50), p50(24, 20)]);
  expect(figure?.ratio?.values).toEqual([1, 1.2, 1.2]);
  expect(figure?.missed).toBe(false);
});

it('judges the budget by the median', () => {
  const [figure] = combine([p50(20, 10), p50(10, 10), p50(13, 10)]);
  expect(figure?.ratio?.median).toBe(1.3);
  expect(figure?.missed).toBe(true);
});

it('has no ratio to a peer of 0', () => {
  expect(combine([p50(1, 0)])[0]?.ratio).toBeUndefined();
});

it('needs every figure in every repetition', () => {
  expect(() => combine([p50(1, 1), repetition()])).toThrow('a repetition has no figure "p50"');
});

it('is unsteady when a figure with a budget varies, for ours or for the peer', () => {
  const figures = (...values: [ours: number, peer: number][]) =>
    combine(values.map(([ours, peer]) => p50(ours, peer)));
  expect(unsteady(figures([10, 10], [10, 10], [10, 10]), 0.1)).toEqual([]);
  expect(unsteady(figures([10, 10], [10, 10], [20, 10]), 0.1)).toEqual(['p50']);
  expect(unsteady(figures([10, 10], [10, 10], [10, 20]), 0.1)).toEqual(['p50']);
});

it('ignores figures without a budget, unless no figure has one', () => {
  const figure = (what: string, ours: number) => ({ what, unit: 'ms', ours });
  const limited = { what: 'limited', unit: 'ms', ours: 5, budget: { atMost: 6 } };
  expect(unsteady(combine([1, 5, 9].map((ours) => repetition(figure('free', ours), limited))), 0.1)).toEqual(
    [],
  );
  expect(unsteady(combine([1, 5, 9].map((ours) => repetition(figure('free', ours)))), 0.1)).toEqual(['free']);
});
