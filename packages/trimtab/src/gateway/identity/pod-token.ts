/** The audience that pods ask their tokens for: no other server takes such a token, and the gateway's pods' API no other. */
export const podAudience = 'trimtab.dev';

/**
 * Whether a bearer token says that it is meant for us. Nothing is proven by that: it decides who is asked about it,
 * and what a person's token would be refused for anyway is never sent on.
 */
export function isPodToken(token: string): boolean {
  // Almost no token is a pod's, and this is asked for each request: most are no JWT, or name no audience of ours.
  const { aud } = claimsOf(token, podAudience) ?? {};
  return aud === podAudience || (Array.isArray(aud) && aud.includes(podAudience));
}

/** When it says that it expires, in milliseconds since the epoch. */
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
