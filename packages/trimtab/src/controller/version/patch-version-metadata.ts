import type { KubeClient } from '@trimtab/kube/client.ts';
import { configResources } from '@trimtab/kube/resource.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { OwnerReference } from '@trimtab/kube/wire.ts';
import type { ConfigMetadata } from '../cache/configs.ts';
import { fieldManager } from '../context.ts';

export interface MetadataChange {
  /** The complete list; it replaces the list on the server. */
  ownerReferences?: OwnerReference[];
  /** null removes a label. */
  labels?: Record<string, string | null>;
}

/**
 * Patches a version only if its uid and resourceVersion are still the observed ones; otherwise throws a Conflict.
 * Returns false when the version no longer exists, which no caller treats as an error.
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
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
