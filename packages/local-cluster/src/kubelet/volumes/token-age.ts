const dayMs = 24 * 3600_000;

export interface IssuedToken {
  token: string;
  /** Time of the request by the local clock, which may differ from the server's. */
  issuedAt: number;
  /** Lifetime that the server granted, which may be shorter than requested. */
  lifeMs: number;
}

/** A token is due for renewal after 80% of its lifetime, and after 24 hours at the latest. */
export function isRenewalDue({ issuedAt, lifeMs }: IssuedToken, now: number): boolean {
  return now - issuedAt >= Math.min(lifeMs * 0.8, dayMs);
}

export function isExpired({ issuedAt, lifeMs }: IssuedToken, now: number): boolean {
  return now - issuedAt >= lifeMs;
}
