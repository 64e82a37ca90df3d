import type { KubeClient } from '@trimtab/kube/client.ts';
import { pods } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';

/** Waits until the pod has a node, and requests a token for it, as the kubelet does for a projected volume. */
export async function podToken(
  client: KubeClient,
  pod: KubeObject,
  audience = 'trimtab.dev',
): Promise<string> {
  const { namespace = '', name = '' } = pod.metadata;
  await waitFor(`pod ${name} has a node`, async () => {
    const { spec } = await client.get<KubeObject & { spec?: { nodeName?: string } }>(pods, {
      namespace,
      name,
    });
    return spec?.nodeName ? { met: true } : { seen: 'no node' };
  });
  return boundToken(client, pod, audience);
}

/** Requests a token that is bound to the pod. */
export async function boundToken(
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
