import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import type { KubeObject } from '../../src/api/wire.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { configRollouts } from '../../src/kube/resource.ts';
import { isAlreadyExists, isNotFound } from '../../src/kube/transport/errors.ts';
import { resourceOf } from './objects/resources.ts';
import { waitFor } from './wait-for.ts';

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

/** The kind ConfigRollout, served when this resolves. */
export async function applyCrd(client: KubeClient): Promise<void> {
  const text = await readFile(new URL('../../deploy/crd.yaml', import.meta.url), 'utf8');
  await applyObjects(client, [parse(text)]);
  await waitFor('ConfigRollouts are served', async () => {
    try {
      await client.list(configRollouts, { limit: 1 });
      return { met: true };
    } catch (error) {
      if (isNotFound(error)) return { seen: 'not found' };
      throw error;
    }
  });
}
