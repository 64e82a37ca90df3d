import type { KubeClient } from '../client.ts';
import type { Resource } from '../resource.ts';
import type { KubeObject } from '../wire.ts';

/**
 * A client that adds each write to the cache as soon as the server has responded, before the watch delivers it. The
 * next reconciliation then sees the write and does not undo or repeat it.
 */
export function writeThroughClient(
  client: KubeClient,
  note: (resource: Resource, object: KubeObject) => void,
): KubeClient {
  const noted = async <T extends KubeObject>(
    resource: Resource,
    dryRun: boolean | undefined,
    written: Promise<T>,
  ): Promise<T> => {
    const object = await written;
    if (dryRun !== true) note(resource, object);
    return object;
  };
  return {
    get: (resource, where, options) => client.get(resource, where, options),
    list: (resource, options) => client.list(resource, options),
    create: (resource, object, options) =>
      noted(resource, options?.dryRun, client.create(resource, object, options)),
    update: (resource, object, options) =>
      noted(resource, options?.dryRun, client.update(resource, object, options)),
    patch: (resource, where, patch, options) =>
      noted(resource, options?.dryRun, client.patch(resource, where, patch, options)),
    delete: (resource, where, options) => client.delete(resource, where, options),
    watch: (resource, options) => client.watch(resource, options),
    raw: (request) => client.raw(request),
  };
}
