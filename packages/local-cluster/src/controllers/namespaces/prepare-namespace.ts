import type { KubeClient } from '@trimtab/kube/client.ts';
import { configMaps, type Resource, serviceAccounts } from '@trimtab/kube/resource.ts';
import { isAlreadyExists, isForbidden, isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';

const description =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';

export const accountName = 'default';
export const bundleName = 'kube-root-ca.crt';

interface Bundle extends KubeObject {
  data?: Record<string, string>;
}

/** Creates what pods need in every namespace: the default service account and the cluster's CA bundle. */
export async function prepareNamespace(
  client: KubeClient,
  namespace: string,
  authority: string,
): Promise<void> {
  const account = await client.get(serviceAccounts, { name: accountName, namespace }).catch(nothing);
  // Read before creating: a create that fails with AlreadyExists would add a failed request to the audit log.
  if (account === undefined)
    await ensure(client, serviceAccounts, { metadata: { name: accountName, namespace } });
  const annotations = { 'kubernetes.io/description': description };
  const data = { 'ca.crt': authority };
  const where = { name: bundleName, namespace };
  const found = await client.get<Bundle>(configMaps, where).catch(nothing);
  if (found === undefined)
    return ensure(client, configMaps, { metadata: { ...where, annotations }, data } as Bundle);
  if (isBundle(found, authority)) return;
  // Restore the bundle: every pod of the namespace would trust certificates that another writer put there.
  const metadata = { ...found.metadata, annotations: { ...found.metadata.annotations, ...annotations } };
  await client.update<Bundle>(configMaps, { ...found, metadata, data });
}

function isBundle({ metadata, data = {} }: Bundle, authority: string): boolean {
  const isOurs = data['ca.crt'] === authority && Object.keys(data).length === 1;
  return isOurs && metadata.annotations?.['kubernetes.io/description'] !== undefined;
}

function nothing(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}

async function ensure(client: KubeClient, resource: Resource, object: KubeObject): Promise<void> {
  try {
    await client.create(resource, object);
  } catch (error) {
    // The object already exists, or the namespace is terminating; its own reconcile handles the deletion.
    if (!isAlreadyExists(error) && !isForbidden(error) && !isNotFound(error)) throw error;
  }
}
