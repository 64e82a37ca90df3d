import type { KubeObject } from '../../../api/wire.ts';
import type { KubeClient } from '../../../kube/client.ts';
import { apiVersion, namespaces, type Resource, resourcePath } from '../../../kube/resource.ts';
import { isNotFound } from '../../../kube/transport/errors.ts';

interface Namespace extends KubeObject {
  spec?: { finalizers?: string[] };
}

interface ApiResourceList {
  resources: { name: string; kind: string; namespaced: boolean; verbs: string[] }[];
}

/** Deletes everything in a namespace; true when nothing was left and the namespace was let go. */
export async function emptyNamespace(client: KubeClient, found: Namespace): Promise<boolean> {
  const { name = '' } = found.metadata;
  let left = 0;
  for (const resource of await deletable(client)) {
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

/** Of every kind that the server serves now, custom ones included. */
async function deletable(client: KubeClient): Promise<Resource[]> {
  const { groups } = await client.raw<{ groups: { versions: { groupVersion: string }[] }[] }>({
    method: 'GET',
    path: '/apis',
  });
  const groupVersions = ['v1', ...groups.flatMap(({ versions }) => versions[0]?.groupVersion ?? [])];
  const lists = await Promise.all(
    groupVersions.map(async (groupVersion) => {
      const path = groupVersion.includes('/') ? `/apis/${groupVersion}` : `/api/${groupVersion}`;
      const { resources } = await client.raw<ApiResourceList>({ method: 'GET', path });
      return resources
        .filter(({ namespaced, verbs }) => namespaced && verbs.includes('deletecollection'))
        .map((each) => resourceOf(groupVersion, each));
    }),
  );
  return lists.flat();
}

function resourceOf(groupVersion: string, { name, kind }: ApiResourceList['resources'][number]): Resource {
  const [group = '', version = ''] = groupVersion.includes('/')
    ? groupVersion.split('/')
    : ['', groupVersion];
  return { group, version, plural: name, kind, namespaced: true };
}
