import type { KubeClient, ListOptions } from '@trimtab/kube/client.ts';
import type { Resource } from '@trimtab/kube/resource.ts';
import { ApiError, isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { KubeList, KubeObject } from '@trimtab/kube/wire.ts';

/** Stands for "any version": lower than the version of every object. */
const lowestVersion = '1';

/**
 * The list and the watch of one named object, with the rights to get and to watch it: the list is a GET. The watch that
 * follows starts at resourceVersion 0, which means "begin with the state of the object". The version of the object itself
 * would not do: the server may have forgotten the events since then, and would end the watch with 410.
 */
export function namedObjectClient(
  client: KubeClient,
  where: { namespace: string; name: string },
): Pick<KubeClient, 'list' | 'watch'> {
  let wasListed = false;
  const find = async <T extends KubeObject>(resource: Resource, signal?: AbortSignal): Promise<T[]> => {
    try {
      return [await client.get<T>(resource, where, signal === undefined ? {} : { signal })];
    } catch (error) {
      if (isNotFound(error)) return [];
      throw error;
    }
  };
  return {
    async list<T extends KubeObject>(resource: Resource, { signal }: ListOptions = {}): Promise<KubeList<T>> {
      const items = await find<T>(resource, signal);
      wasListed = items.length > 0;
      return { metadata: { resourceVersion: lowestVersion }, items };
    },
    async watch(resource, options) {
      if (options.resourceVersion !== lowestVersion) return client.watch(resource, options);
      const stream = await client.watch(resource, { ...options, resourceVersion: '0' });
      if (!wasListed) return stream;
      // The watch does not report a deletion between the list and its begin.
      try {
        if ((await find(resource, options.signal)).length > 0) return stream;
        throw new ApiError(410, { apiVersion: 'v1', kind: 'Status', code: 410, reason: 'Expired' });
      } catch (error) {
        stream.close();
        throw error;
      }
    },
  };
}
