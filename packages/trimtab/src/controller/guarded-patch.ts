import type { KubeClient, ObjectKey, Patch, WriteOptions } from '@trimtab/kube/client.ts';
import type { Resource } from '@trimtab/kube/resource.ts';
import { ApiError, isConflict } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { fieldManager } from './context.ts';

export type JsonOperation = (Patch & { type: 'json' })['operations'][number];

/** The cache was stale: the object has changed since it was observed. Reconcile the key again. */
export class StaleCacheError extends Error {
  override readonly name = 'StaleCacheError';
}

export function isStale(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isStale);
  return error instanceof StaleCacheError || isConflict(error);
}

/**
 * Patches a field that only Trimtab writes, with `test` operations for the values that were read. The API server
 * answers a failed `test` with 422, the same as an invalid object. Values that Trimtab writes are always valid, so a
 * 422 means that the object has changed.
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
    throw new StaleCacheError(`${resource.kind} ${where.name} has changed since it was read`, {
      cause: error,
    });
  }
}
