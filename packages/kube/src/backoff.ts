export interface BackoffLimits {
  /** The first wait is at most this long. */
  initialMs: number;
  maxMs: number;
}

/**
 * How long to wait after this many failures in a row: doubles up to the limit, and is drawn from the upper
 * half of that, so that clients which failed together do not come back together.
 */
export function backoffMs(failures: number, limits: BackoffLimits, random: () => number): number {
  const exponent = Math.min(Math.max(failures, 1) - 1, 40);
  const ceiling = Math.min(limits.maxMs, limits.initialMs * 2 ** exponent);
  return ceiling * (0.5 + random() / 2);
}
