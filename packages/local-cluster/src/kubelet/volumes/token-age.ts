const dayMs = 24 * 3600_000;

export interface IssuedToken {
  token: string;
  /** When it was asked for, by our clock: the server's may differ. */
  issuedAt: number;
  /** How long it lives; what the server gave, which may be less than what was asked for. */
  lifeMs: number;
}

/** A token is renewed when four fifths of its life are over, and at least once a day. */
export function isRenewalDue({ issuedAt, lifeMs }: IssuedToken, now: number): boolean {
  return now - issuedAt >= Math.min(lifeMs * 0.8, dayMs);
}

export function isExpired({ issuedAt, lifeMs }: IssuedToken, now: number): boolean {
  return now - issuedAt >= lifeMs;
}
