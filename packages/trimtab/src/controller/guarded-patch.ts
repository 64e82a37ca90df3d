import type { CallOptions, KubeClient, ObjectKey, Patch, WriteOptions } from '@trimtab/kube/client.ts';
import type { Resource } from '@trimtab/kube/resource.ts';
import { ApiError, isConflict } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { fieldManager } from './context.ts';

export type JsonOperation = (Patch & { type: 'json' })['operations'][number];

/** The cache was old: what we meant to change is not as we saw it. Look again. */
export class StaleCacheError extends Error {
  override readonly name = 'StaleCacheError';
}

export function isStale(error: unknown): boolean {
  return error instanceof StaleCacheError || isConflict(error);
}

/**
 * A patch of something that is ours alone, with a `test` of what was read before. The server answers a failed test
 * with 422, as it does for an invalid object, which a value of ours can't make.
 */
export async function guardedPatch<T extends KubeObject>(
  client: KubeClient,
  resource: Resource,
  where: ObjectKey,
  operations: JsonOperation[],
  options: WriteOptions,
): Promise<T> {
  try {
    return await client.patch<T>(resource, where, { type: 'json', operations }, { fieldManager, ...options });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 422) throw error;
    throw new StaleCacheError(`${resource.kind} ${where.name} has changed`, { cause: error });
  }
}

/** Changes one value that was read before, and only if it is still that. */
export function replaceTested<T extends KubeObject>(
  client: KubeClient,
  resource: Resource,
  where: ObjectKey,
  path: string,
  change: { from: string; to: string },
  how: CallOptions,
): Promise<T> {
  const { from, to } = change;
  const replace: JsonOperation = { op: 'replace', path, value: to };
  return guardedPatch(client, resource, where, [{ op: 'test', path, value: from }, replace], how);
}
