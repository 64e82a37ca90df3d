import { authProvider } from './auth-provider.ts';
import { bearer, tokenFile } from './bearer-token.ts';
import { type CredentialSource, fixedCredential } from './credential-source.ts';
import { execPlugin, execSpec } from './exec-plugin.ts';
import { type Cluster, isRecord, type User } from './kubeconfig-entries.ts';

/** Chooses the credential in client-go's order of precedence. Client certificates are independent of this choice. */
export function credentialSourceOf(
  user: User,
  body: Record<string, unknown>,
  cluster: Cluster,
): CredentialSource {
  if (isRecord(body['exec'])) return execPlugin({ spec: execSpec(body['exec'], user.name), cluster });
  if (isRecord(body['auth-provider'])) return authProvider(user, cluster);
  // kubectl writes `tokenFile`; `@kubernetes/client-node` reads another spelling.
  if (typeof body['tokenFile'] === 'string' && body['tokenFile'] !== '') return tokenFile(body['tokenFile']);
  if (user.token) return fixedCredential(bearer(user.token));
  if (user.username) {
    const basic = Buffer.from(`${user.username}:${user.password ?? ''}`).toString('base64');
    return fixedCredential({ authorization: `Basic ${basic}` });
  }
  return fixedCredential({});
}
