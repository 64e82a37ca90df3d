import type { KubeClient, ObjectKey, Projection, WriteOptions } from '../client.ts';
import type { Resource } from '../resource.ts';
import { ApiError, mayHaveTakenEffect } from '../transport/errors.ts';
import type { KubeObject } from '../wire.ts';

/** Called with each object that the server returns. `projection` tells how much of it was returned. */
export type Note = (resource: Resource, object: KubeObject, projection: Projection) => void;

export interface WriteThrough {
  client: KubeClient;
  /**
   * Reads each object to which a write may have taken effect without a response. Rejects while the server cannot be
   * reached: a decision from the cache has to wait until then.
   */
  confirmWrites(signal: AbortSignal): Promise<void>;
}

/**
 * A client that adds each object that the server returns to the cache, before the watch delivers it. The next
 * reconciliation then sees an own write, and does not undo or repeat it. A write without a response can have taken
 * effect, so its object is read.
 */
export function writeThroughClient(client: KubeClient, note: Note): WriteThrough {
  const unconfirmed = new Map<string, { resource: Resource; where: ObjectKey }>();
  const confirm = async (key: string, signal: AbortSignal | undefined): Promise<void> => {
    const write = unconfirmed.get(key);
    if (write === undefined) return;
    try {
      note(write.resource, await client.get(write.resource, write.where, signal && { signal }), 'full');
    } catch (error) {
      // A refusal is an answer: the object does not exist, or this process may not read it.
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
    }
    if (unconfirmed.get(key) === write) unconfirmed.delete(key);
  };
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
      if (mayHaveTakenEffect(error)) {
        const key = [resource.group, resource.plural, where.namespace, where.name].join('/');
        unconfirmed.set(key, { resource, where });
        await confirm(key, options?.signal).catch(() => undefined);
      }
      throw error;
    }
  };
  const writing: KubeClient = {
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
  return {
    client: writing,
    async confirmWrites(signal) {
      for (const key of [...unconfirmed.keys()]) await confirm(key, signal);
    },
  };
}

function keyIn({ metadata: { namespace, name = '' } }: KubeObject): ObjectKey {
  return { name, ...(namespace !== undefined && { namespace }) };
}
