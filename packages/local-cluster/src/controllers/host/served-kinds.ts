import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Resource } from '@trimtab/kube/resource.ts';

export interface ServedKind extends Resource {
  verbs: readonly string[];
  /** Whether this is the preferred version of its API group. */
  preferred: boolean;
}

interface Group {
  versions: { groupVersion: string }[];
  preferredVersion?: { groupVersion: string };
}

interface ResourceList {
  resources: { name: string; kind: string; namespaced: boolean; verbs: string[] }[];
}

/**
 * Every kind that the server currently serves, in all versions, including custom resources. Throws when any group
 * version cannot be read: the result is never incomplete.
 */
export async function servedKinds(client: KubeClient, signal?: AbortSignal): Promise<ServedKind[]> {
  const options = signal === undefined ? {} : { signal };
  const read = <T>(path: string) => client.raw<T>({ method: 'GET', path, ...options });
  const { groups } = await read<{ groups: Group[] }>('/apis');
  const versions = [
    { groupVersion: 'v1', preferred: true },
    ...groups.flatMap(({ versions: all, preferredVersion = all[0] }) =>
      all.map(({ groupVersion }) => ({
        groupVersion,
        preferred: groupVersion === preferredVersion?.groupVersion,
      })),
    ),
  ];
  const lists = await Promise.all(
    versions.map(async ({ groupVersion, preferred }) => {
      const [version = '', group = ''] = groupVersion.split('/').reverse();
      const { resources } = await read<ResourceList>(
        group === '' ? `/api/${version}` : `/apis/${groupVersion}`,
      );
      return resources
        .filter(({ name }) => !name.includes('/'))
        .map(({ name, kind, namespaced, verbs }) => ({
          ...{ group, version, plural: name, kind, namespaced, verbs, preferred },
        }));
    }),
  );
  return lists.flat();
}
