import { authProvider } from './auth-provider.ts';
import { bearer, tokenFile } from './bearer-token.ts';
import { type CredentialSource, fixedCredential } from './credential-source.ts';
import { execPlugin, execSpec } from './exec-plugin.ts';
import type { Cluster, User } from './kubeconfig-entries.ts';
import { isRecord } from './kubeconfig-file.ts';

/** By client-go's order. A client certificate goes with any of them and is no matter of this. */
export function credentialSourceOf(
  user: User,
  body: Record<string, unknown>,
  cluster: Cluster,
): CredentialSource {
  if (isRecord(body['exec'])) return execPlugin({ spec: execSpec(body['exec'], user.name), cluster });
  if (isRecord(body['auth-provider'])) return authProvider(user, cluster);
  // `tokenFile` is what kubectl writes; the client library looks for another spelling.
  if (typeof body['tokenFile'] === 'string' && body['tokenFile'] !== '') return tokenFile(body['tokenFile']);
  if (user.token) return fixedCredential(bearer(user.token));
  if (user.username) {
    const basic = Buffer.from(`${user.username}:${user.password ?? ''}`).toString('base64');
    return fixedCredential({ authorization: `Basic ${basic}` });
  }
  return fixedCredential({});
}
