import type { KubeClient } from '@trimtab/kube/client.ts';
import { isAlreadyExists, isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { resourceOf } from '../objects/resources.ts';

/**
 * Creates or patches each object in order, without kubectl: the prerequisites of a test. Another test may apply the
 * same object at the same time.
 */
export async function applyObjects(client: KubeClient, objects: readonly KubeObject[]): Promise<void> {
  for (const object of objects) {
    const resource = resourceOf(object);
    const { name = '', namespace } = object.metadata;
    const where = { name, ...(namespace !== undefined && { namespace }) };
    await client.create(resource, object).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
      return client.patch(resource, where, { type: 'merge', body: object });
    });
  }
}

/** Requests the deletion of the objects without waiting for it. Ignores objects that do not exist. */
export async function removeObjects(client: KubeClient, objects: readonly KubeObject[]): Promise<void> {
  for (const object of objects) {
    const { name = '', namespace } = object.metadata;
    const where = { name, ...(namespace !== undefined && { namespace }) };
    await client.delete(resourceOf(object), where).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }
}
