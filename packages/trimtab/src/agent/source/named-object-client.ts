import type { KubeClient, ListOptions } from '@trimtab/kube/client.ts';
import type { Resource } from '@trimtab/kube/resource.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
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
  return {
    async list<T extends KubeObject>(resource: Resource, { signal }: ListOptions = {}): Promise<KubeList<T>> {
      const options = signal === undefined ? {} : { signal };
      const items = await client.get<T>(resource, where, options).then(
        (object) => [object],
        (error: unknown) => {
          if (isNotFound(error)) return [];
          throw error;
        },
      );
      return { metadata: { resourceVersion: lowestVersion }, items };
    },
    watch: (resource, options) =>
      client.watch(
        resource,
        options.resourceVersion === lowestVersion ? { ...options, resourceVersion: '0' } : options,
      ),
  };
}
