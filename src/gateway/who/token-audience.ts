/** The audience of tokens that pods show to the gateway, and to nobody else. */
const podAudience = 'trimtab.dev';

/** The token of `Authorization: Bearer …`. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
}

/**
 * Whether a token says that it is a pod's for us. Nothing is verified here: it only decides who is asked about the
 * token, and the API server refuses one that is not for itself.
 */
export function isForUs(token: string): boolean {
  const [, payload, signature] = token.split('.');
  if (payload === undefined || signature === undefined) return false;
  const text = Buffer.from(payload, 'base64url').toString('latin1');
  // Almost no token is a pod's, and this is asked for each request.
  if (!text.includes(podAudience)) return false;
  try {
    const claims: unknown = JSON.parse(text);
    if (typeof claims !== 'object' || claims === null || !('aud' in claims)) return false;
    return [claims.aud].flat().includes(podAudience);
  } catch {
    return false;
  }
}
