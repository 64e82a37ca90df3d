import type { KubeClient, ObjectKey, Projection, WriteOptions } from '../client.ts';
import type { Resource } from '../resource.ts';
import { mayHaveTakenEffect } from '../transport/errors.ts';
import type { KubeObject } from '../wire.ts';

/** Called with each object that the server returns. `projection` tells how much of it was returned. */
export type Note = (resource: Resource, object: KubeObject, projection: Projection) => void;

/**
 * A client that adds each object that the server returns to the cache, before the watch delivers it. The next
 * reconciliation then sees an own write, and does not undo or repeat it. A write without a response is followed by a
 * read, because it can have taken effect.
 */
export function writeThroughClient(client: KubeClient, note: Note): KubeClient {
  const written = async <T extends KubeObject>(
    resource: Resource,
    where: ObjectKey,
    options: WriteOptions | undefined,
    write: Promise<T>,
  ): Promise<T> => {
    // A subresource other than the status returns an object of another kind, such as Scale.
    const returnsObject = options?.subresource === undefined || options.subresource === 'status';
    if (options?.dryRun === true || !returnsObject) return write;
    try {
      const object = await write;
      note(resource, object, 'full');
      return object;
    } catch (error) {
      if (mayHaveTakenEffect(error)) await read(resource, where, options?.signal).catch(() => undefined);
      throw error;
    }
  };
  const read = async (resource: Resource, where: ObjectKey, signal: AbortSignal | undefined) =>
    note(resource, await client.get(resource, where, signal && { signal }), 'full');
  return {
    async get<T extends KubeObject>(...[resource, where, options]: Parameters<KubeClient['get']>) {
      const object = await client.get<T>(resource, where, options);
      note(resource, object, options?.projection ?? 'full');
      return object;
    },
    list: (resource, options) => client.list(resource, options),
    create: (resource, object, options) =>
      written(resource, keyIn(object), options, client.create(resource, object, options)),
    update: (resource, object, options) =>
      written(resource, keyIn(object), options, client.update(resource, object, options)),
    patch: (resource, where, patch, options) =>
      written(resource, where, options, client.patch(resource, where, patch, options)),
    delete: (resource, where, options) => client.delete(resource, where, options),
    watch: (resource, options) => client.watch(resource, options),
    raw: (request) => client.raw(request),
  };
}

function keyIn({ metadata: { namespace, name = '' } }: KubeObject): ObjectKey {
  return { name, ...(namespace !== undefined && { namespace }) };
}
