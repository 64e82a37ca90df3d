export interface BackoffLimits {
  /** Upper bound of the first delay. */
  initialMs: number;
  maxMs: number;
}

/**
 * Delay after this many consecutive failures. It doubles up to `maxMs` and is drawn from the upper half of that
 * value, so clients that failed together do not retry together.
 */
export function backoffMs(failures: number, limits: BackoffLimits, random: () => number): number {
  const exponent = Math.min(Math.max(failures, 1) - 1, 40);
  const ceiling = Math.min(limits.maxMs, limits.initialMs * 2 ** exponent);
  return ceiling * (0.5 + random() / 2);
}
