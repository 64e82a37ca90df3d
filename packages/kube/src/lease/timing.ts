/**
 * The periods of an election. The holder stops its work `renewDeadlineMs` after its last successful renewal; another
 * candidate acquires the Lease only after `leaseDurationMs` without a renewal. The difference between the two is the
 * time in which the work must stop, and the tolerance for clocks that run at different speeds.
 */
export interface LeaseTiming {
  leaseDurationMs: number;
  renewDeadlineMs: number;
  /** Interval between attempts to acquire or renew the Lease. */
  retryPeriodMs: number;
}

const usual: LeaseTiming = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };

/** Standby candidates wait longer by a random share up to this factor, so they do not all send requests at once. */
export const jitterFactor = 0.2;

/** Defaults to a lease duration of 15 s, a renew deadline of 10 s and a retry period of 2 s. Throws a RangeError. */
export function leaseTiming(given: Partial<LeaseTiming> = {}): LeaseTiming {
  const timing = { ...usual, ...given };
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = timing;
  if (!(retryPeriodMs > 0))
    throw new RangeError(`retryPeriodMs must be greater than 0, not ${retryPeriodMs}`);
  if (!(renewDeadlineMs > retryPeriodMs * (1 + jitterFactor)))
    throw new RangeError(
      `renewDeadlineMs (${renewDeadlineMs}) must be greater than ${1 + jitterFactor} × retryPeriodMs (${retryPeriodMs}) to allow a retry`,
    );
  if (!(leaseDurationMs > renewDeadlineMs))
    throw new RangeError(
      `leaseDurationMs (${leaseDurationMs}) must be greater than renewDeadlineMs (${renewDeadlineMs}): the difference is the time that the leader has to stop`,
    );
  return timing;
}
