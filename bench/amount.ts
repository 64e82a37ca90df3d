import type { Sample } from './sample.ts';

/** Formats a sample as `43.0 ±3.1 ms`; the spread has as many digits as the median. */
export function amount({ median, spread }: Sample, unit: string): string {
  const digits = Math.abs(median) < 10 ? 2 : Math.abs(median) < 100 ? 1 : 0;
  const width = spread === null ? '' : ` ±${spread.toFixed(digits)}`;
  return `${median.toFixed(digits)}${width} ${unit}`.trimEnd();
}
