/** The audience that pods ask their tokens for: no other server takes such a token, and the gateway's pods' API no other. */
export const podAudience = 'trimtab.dev';

/**
 * Whether a bearer token says that it is meant for us. Nothing is proven by that: it decides who is asked about it,
 * and what a person's token would be refused for anyway is never sent on.
 */
export function isPodToken(token: string): boolean {
  const { aud } = claimsOf(token) ?? {};
  return aud === podAudience || (Array.isArray(aud) && aud.includes(podAudience));
}

/** When it says that it expires, in milliseconds since the epoch. */
export function expiryOf(token: string): number | undefined {
  const exp = claimsOf(token)?.exp;
  return typeof exp === 'number' ? exp * 1000 : undefined;
}

function claimsOf(token: string): { aud?: unknown; exp?: unknown } | undefined {
  const [, payload, signature] = token.split('.');
  if (payload === undefined || signature === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    return typeof claims === 'object' && claims !== null ? claims : undefined;
  } catch {
    return undefined;
  }
}
