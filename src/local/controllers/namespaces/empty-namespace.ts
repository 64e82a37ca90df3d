import type { KubeObject } from '../../../api/wire.ts';
import type { KubeClient } from '../../../kube/client.ts';
import { apiVersion, namespaces, resourcePath } from '../../../kube/resource.ts';
import { isNotFound } from '../../../kube/transport/errors.ts';
import { servedKinds } from '../host/served-kinds.ts';

interface Namespace extends KubeObject {
  spec?: { finalizers?: string[] };
}

/** Deletes everything in a namespace; true when nothing was left and the namespace was let go. */
export async function emptyNamespace(client: KubeClient, found: Namespace): Promise<boolean> {
  const { name = '' } = found.metadata;
  let left = 0;
  for (const resource of await servedKinds(client)) {
    const { preferred, namespaced, verbs } = resource;
    if (!preferred || !namespaced || !verbs.includes('deletecollection')) continue;
    await client.raw({ method: 'DELETE', path: resourcePath(resource, { namespace: name }) });
    const rest = await client.list(resource, { namespace: name, projection: 'metadata' });
    left += rest.items.length;
  }
  if (left > 0) return false;
  const finalizers = (found.spec?.finalizers ?? []).filter((each) => each !== 'kubernetes');
  const body = { apiVersion: apiVersion(namespaces), kind: namespaces.kind, ...found, spec: { finalizers } };
  await client
    .raw({ method: 'PUT', path: resourcePath(namespaces, { name, subresource: 'finalize' }), body })
    .catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  return true;
}
