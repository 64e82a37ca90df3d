import type { ClusterAccess } from '@trimtab/kube/access.ts';
import type { KubeClient } from '@trimtab/kube/client.ts';
import { clientCertificate } from './client-certificate.ts';
import type { Identity } from './engine.ts';

/** Derives the access of another identity from the administrator's access. */
export async function accessOf(
  who: Identity,
  admin: ClusterAccess,
  client: KubeClient,
): Promise<ClusterAccess> {
  if ('user' in who) return impersonating(admin, who);
  if ('certificateOf' in who) {
    const own = await clientCertificate(client, who.certificateOf, who.group);
    return { ...admin, tls: async () => ({ ...(await admin.tls()), ...own }), headers: async () => ({}) };
  }
  const token = await requestToken(client, who);
  return {
    server: admin.server,
    namespace: who.namespace,
    // The administrator's client certificate is removed: it would take precedence over the token.
    async tls() {
      const { cert: _cert, key: _key, ...settings } = await admin.tls();
      return settings;
    },
    headers: async () => ({ authorization: `Bearer ${token}` }),
    invalidate() {},
  };
}

function impersonating(admin: ClusterAccess, who: { user: string; group?: string }): ClusterAccess {
  return {
    ...admin,
    async headers() {
      const group = who.group === undefined ? {} : { 'impersonate-group': who.group };
      return { ...(await admin.headers()), 'impersonate-user': who.user, ...group };
    },
  };
}

async function requestToken(
  client: KubeClient,
  who: { serviceAccount: string; namespace: string },
): Promise<string> {
  const answer = await client.raw<{ status: { token: string } }>({
    method: 'POST',
    path: `/api/v1/namespaces/${who.namespace}/serviceaccounts/${who.serviceAccount}/token`,
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3600 } },
  });
  return answer.status.token;
}
