/** Audience of pod tokens. Other servers reject it, and the gateway's API for pods accepts no other audience. */
export const podAudience = 'trimtab.dev';

/**
 * Whether a bearer token claims the gateway's audience. The claim is not verified: it only decides how the token is
 * authenticated, and keeps a token that the API server would reject from being sent there.
 */
export function isPodToken(token: string): boolean {
  // Runs for each request and few tokens match, so claims are parsed only when the text contains the audience.
  const { aud } = claimsOf(token, podAudience) ?? {};
  return aud === podAudience || (Array.isArray(aud) && aud.includes(podAudience));
}

/** The expiry that the token claims, in milliseconds since the epoch. */
export function expiryOf(token: string): number | undefined {
  const exp = claimsOf(token)?.exp;
  return typeof exp === 'number' ? exp * 1000 : undefined;
}

/** The token of `Authorization: Bearer …`. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
}

function claimsOf(token: string, mention = ''): { aud?: unknown; exp?: unknown } | undefined {
  const [, payload, signature] = token.split('.');
  if (payload === undefined || signature === undefined) return undefined;
  const text = Buffer.from(payload, 'base64url').toString('utf8');
  if (!text.includes(mention)) return undefined;
  try {
    const claims: unknown = JSON.parse(text);
    return typeof claims === 'object' && claims !== null ? claims : undefined;
  } catch {
    return undefined;
  }
}
