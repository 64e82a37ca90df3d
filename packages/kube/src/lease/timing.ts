/**
 * The three periods of an election. They are promises between candidates: the holder stops its work
 * `renewDeadlineMs` after its last good renewal, nobody else starts before `leaseDurationMs` without one.
 * What lies between the two is the time the work has to stop, and the tolerance for clocks of unequal speed.
 */
export interface LeaseTiming {
  leaseDurationMs: number;
  renewDeadlineMs: number;
  /** Between two looks at the Lease, for the holder and for those who stand by. */
  retryPeriodMs: number;
}

const usual: LeaseTiming = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };

/** Those who stand by wait up to this much longer, so that they do not all ask in the same moment. */
export const jitterFactor = 0.2;

/** Fills in 15/10/2 s; throws a RangeError when the three cannot work together. */
export function leaseTiming(given: Partial<LeaseTiming> = {}): LeaseTiming {
  const timing = { ...usual, ...given };
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = timing;
  if (!(retryPeriodMs > 0)) throw new RangeError(`retryPeriodMs must be more than 0, not ${retryPeriodMs}`);
  if (!(renewDeadlineMs > retryPeriodMs * (1 + jitterFactor)))
    throw new RangeError(
      `renewDeadlineMs (${renewDeadlineMs}) must leave room for a second try: more than ${1 + jitterFactor} × retryPeriodMs (${retryPeriodMs})`,
    );
  if (!(leaseDurationMs > renewDeadlineMs))
    throw new RangeError(
      `leaseDurationMs (${leaseDurationMs}) must be more than renewDeadlineMs (${renewDeadlineMs}): the difference is the time to stop in`,
    );
  return timing;
}
