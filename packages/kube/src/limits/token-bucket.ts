export interface Bucket {
  readonly tokens: number;
  readonly asOf: number;
}

interface BucketLimits {
  burst: number;
  refillMs: number;
}

/** Takes one token if one is available. An undefined bucket counts as full. */
export function spend(
  bucket: Bucket | undefined,
  limits: BucketLimits,
  now: number,
): { allowed: boolean; bucket: Bucket } {
  const { tokens, asOf } = bucket ?? { tokens: limits.burst, asOf: now };
  const filled = Math.min(limits.burst, tokens + (now - asOf) / limits.refillMs);
  const allowed = filled >= 1;
  return { allowed, bucket: { tokens: allowed ? filled - 1 : filled, asOf: now } };
}
