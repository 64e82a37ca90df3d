import type { KubeClient } from '@trimtab/kube/client.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';

/** Requests a token that is bound to the pod, as the kubelet does for a projected volume. */
export async function podToken(
  client: KubeClient,
  { metadata }: KubeObject,
  audience = 'trimtab.dev',
): Promise<string> {
  const { namespace, name, uid } = metadata;
  const answer = await client.raw<{ status: { token: string } }>({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/default/token`,
    body: {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {
        audiences: [audience],
        expirationSeconds: 3600,
        boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid },
      },
    },
  });
  return answer.status.token;
}
