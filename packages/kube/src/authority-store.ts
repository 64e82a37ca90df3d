import type { KubeClient } from './client.ts';
import { secrets } from './resource.ts';
import {
  type Authorities,
  type AuthorityProfile,
  formatAuthorities,
  parseAuthorities,
  renewedAuthorities,
} from './tls/authorities.ts';
import { isAlreadyExists, isNotFound } from './transport/errors.ts';
import type { KubeObject } from './wire.ts';

interface AuthoritySecret extends KubeObject {
  data?: Record<string, string>;
}

/**
 * Returns the certificate authorities that all replicas share, and creates or renews them when needed. When two
 * replicas write at the same time, the second gets AlreadyExists or a conflict and uses what the first has written.
 */
export async function sharedAuthorities(
  client: KubeClient,
  where: { namespace: string; name: string },
  profile: AuthorityProfile,
  now: number,
  signal: AbortSignal,
): Promise<Authorities> {
  const found = await client.get<AuthoritySecret>(secrets, where, { signal }).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  const stored = parseAuthorities(found?.data);
  const wanted = renewedAuthorities(stored, profile, now);
  if (wanted === stored) return stored;
  const data = formatAuthorities(wanted);
  if (found !== undefined) {
    // `found` carries its resourceVersion, so a concurrent write results in a conflict; the next attempt reads again.
    await client.update(secrets, { ...found, data }, { signal });
    return wanted;
  }
  const fresh = { apiVersion: 'v1', kind: 'Secret', metadata: where, type: 'Opaque', data };
  try {
    await client.create(secrets, fresh, { signal });
    return wanted;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return sharedAuthorities(client, where, profile, now, signal);
  }
}
