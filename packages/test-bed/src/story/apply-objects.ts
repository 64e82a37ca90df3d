import type { KubeClient } from '@trimtab/kube/client.ts';
import { isAlreadyExists, isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { resourceOf } from '../objects/resources.ts';

/**
 * Makes each object what it says here, one after the other: what a test needs before it begins, also where there is
 * no kubectl. Another test may do the same with the same object at the same time.
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

/** Asks for their removal and does not wait for it; what is not there any more is fine. */
export async function removeObjects(client: KubeClient, objects: readonly KubeObject[]): Promise<void> {
  for (const object of objects) {
    const { name = '', namespace } = object.metadata;
    const where = { name, ...(namespace !== undefined && { namespace }) };
    await client.delete(resourceOf(object), where).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }
}
