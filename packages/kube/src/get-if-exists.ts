import type { KubeClient, ObjectKey, ReadOptions } from './client.ts';
import type { Resource } from './resource.ts';
import { isNotFound } from './transport/errors.ts';
import type { KubeObject } from './wire.ts';

/** Reads an object from the API server; returns undefined when it does not exist. */
export async function getIfExists<T extends KubeObject>(
  client: Pick<KubeClient, 'get'>,
  resource: Resource,
  where: ObjectKey,
  options?: ReadOptions,
): Promise<T | undefined> {
  try {
    return await client.get<T>(resource, where, options);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
