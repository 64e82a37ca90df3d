import type { KubeObject } from '../../../api/wire.ts';
import type { KubeClient } from '../../../kube/client.ts';
import { configMaps, type Resource, serviceAccounts } from '../../../kube/resource.ts';
import { isAlreadyExists, isForbidden, isNotFound } from '../../../kube/transport/errors.ts';

const description =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';

/** What pods of every namespace need: an account to run as, and whom to trust. */
export async function furnishNamespace(
  client: KubeClient,
  namespace: string,
  authority: string,
): Promise<void> {
  await ensure(client, serviceAccounts, { metadata: { name: 'default', namespace } });
  const bundle: KubeObject & { data: Record<string, string> } = {
    metadata: {
      name: 'kube-root-ca.crt',
      namespace,
      annotations: { 'kubernetes.io/description': description },
    },
    data: { 'ca.crt': authority },
  };
  await ensure(client, configMaps, bundle);
}

async function ensure(client: KubeClient, resource: Resource, object: KubeObject): Promise<void> {
  try {
    await client.create(resource, object);
  } catch (error) {
    // It is there already, or the namespace goes away: its own look will see to that.
    if (!isAlreadyExists(error) && !isForbidden(error) && !isNotFound(error)) throw error;
  }
}
