export type Verdict = 'delivered' | 'retry' | 'rejected';

/**
 * What a response to a delivery means. A receiver that answers 4xx will not accept the same request later, except for 408
 * and 429. Redirects are not followed, because they could lead a signed request to another host.
 */
export function verdictOf(status: number): Verdict {
  if (status >= 200 && status < 300) return 'delivered';
  if (status === 408 || status === 429 || status >= 500) return 'retry';
  return 'rejected';
}

const longestRetryAfterMs = 10 * 60_000;

/** Milliseconds of a Retry-After header, in seconds or as a date; limited, so that a receiver cannot stop deliveries. */
export function retryAfterMs(header: string | undefined, now: number): number {
  if (header === undefined) return 0;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Math.min(longestRetryAfterMs, Math.max(0, ms || 0));
}
