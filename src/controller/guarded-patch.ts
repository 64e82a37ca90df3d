import type { KubeObject } from '../api/wire.ts';
import type { KubeClient, ObjectKey, Patch } from '../kube/client.ts';
import type { Resource } from '../kube/resource.ts';
import { ApiError, isConflict } from '../kube/transport/errors.ts';
import { fieldManager } from './context.ts';

/** The picture was old: what we meant to change is not as we saw it. Look again. */
export class StalePicture extends Error {
  override readonly name = 'StalePicture';
}

export function isStale(error: unknown): boolean {
  return error instanceof StalePicture || isConflict(error);
}

/**
 * Changes one value that was read before, and only if it is still that. The server answers a failed `test` with
 * 422, as it does for an invalid object, which a value of ours can't make.
 */
export async function replaceTested<T extends KubeObject>(
  client: KubeClient,
  resource: Resource,
  where: ObjectKey,
  path: string,
  change: { from: string; to: string | undefined },
  signal: AbortSignal,
): Promise<T> {
  const operations: (Patch & { type: 'json' })['operations'] = [
    { op: 'test', path, value: change.from },
    change.to === undefined ? { op: 'remove', path } : { op: 'replace', path, value: change.to },
  ];
  try {
    return await client.patch<T>(resource, where, { type: 'json', operations }, { fieldManager, signal });
  } catch (error) {
    if (error instanceof ApiError && error.status === 422)
      throw new StalePicture(`${path} has changed`, { cause: error });
    throw error;
  }
}
