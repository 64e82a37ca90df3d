import type { ClusterAccess } from '@trimtab/kube/access.ts';
import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Clock } from '@trimtab/kube/clock.ts';

interface TokenRequest {
  status: { token: string; expirationTimestamp: string };
}

export interface Account {
  namespace: string;
  name: string;
}

/** Access to `server` as a service account. `admin` requests the tokens, which are renewed before they expire. */
export function accountAccess(
  admin: KubeClient,
  server: { url: string; authority: string },
  { namespace, name }: Account,
  clock: Clock,
): ClusterAccess {
  let known: { token: string; renewAt: number } | undefined;
  const fetchToken = async () => {
    const { status } = await admin.raw<TokenRequest>({
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
      body: {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { expirationSeconds: 3600 },
      },
    });
    const lifeMs = Date.parse(status.expirationTimestamp) - clock.now();
    return { token: status.token, renewAt: clock.now() + lifeMs * 0.8 };
  };
  return {
    server: server.url,
    namespace,
    tls: async () => ({ ca: server.authority }),
    async headers() {
      if (known === undefined || clock.now() >= known.renewAt) known = await fetchToken();
      return { authorization: `Bearer ${known.token}` };
    },
    invalidate() {
      known = undefined;
    },
  };
}
