import type { KubeClient } from '@trimtab/kube/client.ts';
import { configResources } from '@trimtab/kube/resource.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { OwnerReference } from '@trimtab/kube/wire.ts';
import type { ConfigMetadata } from '../cache/configs.ts';
import { fieldManager } from '../context.ts';

export interface MetadataChange {
  /** The whole list: it replaces the one on the server. */
  ownerReferences?: OwnerReference[];
  /** null takes a label away. */
  labels?: Record<string, string | null>;
}

/** Heads that were written to since they came: the next one of the same object is on its way. */
const overtaken = new WeakSet<ConfigMetadata>();

/** There is no use in a second write on the same state: the watch brings the key back with the next one. */
export function isOvertaken(metadata: ConfigMetadata): boolean {
  return overtaken.has(metadata);
}

/**
 * Writes to the very object and the very state of it that was seen: a Conflict says that it is another one by
 * now. False when it is gone, which is fine with everybody who writes here.
 */
export async function patchVersionMetadata(
  client: KubeClient,
  seen: { metadata: ConfigMetadata; resourceVersion: string },
  change: MetadataChange,
  signal: AbortSignal,
): Promise<boolean> {
  const { kind, namespace, name, uid } = seen.metadata;
  const body = { metadata: { uid, resourceVersion: seen.resourceVersion, ...change } };
  try {
    await client.patch(
      configResources[kind],
      { namespace, name },
      { type: 'merge', body },
      { signal, fieldManager, lowPriority: true },
    );
    overtaken.add(seen.metadata);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
