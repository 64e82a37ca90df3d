import { percentile } from './percentile.ts';

/** The values of one figure over all repetitions of its row. */
export interface Sample {
  median: number;
  /** Three of four repetitions lie within this distance from the median; null with a single repetition. */
  spread: number | null;
  values: readonly number[];
}

export function sampleOf(values: readonly number[]): Sample {
  const middle = median(values);
  const distances = values.map((value) => Math.abs(value - middle));
  return { median: middle, spread: values.length < 2 ? null : percentile(distances, 75), values };
}

/** Whether the spread is at most this share of the median. */
export function isSteady({ median: middle, spread }: Sample, share: number): boolean {
  return spread !== null && spread <= Math.abs(middle) * share;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  const upper = sorted[half] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? Number.NaN) + upper) / 2;
}
