import type { KubeClient } from '@trimtab/kube/client.ts';
import { configResources } from '@trimtab/kube/resource.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { OwnerReference } from '@trimtab/kube/wire.ts';
import { fieldManager } from '../context.ts';
import type { ConfigHead } from '../picture/configs.ts';

export interface MetadataChange {
  /** The whole list: it replaces the one on the server. */
  ownerReferences?: OwnerReference[];
  /** null takes a label away. */
  labels?: Record<string, string | null>;
}

/** Heads that were written to since they came: the next one of the same object is on its way. */
const overtaken = new WeakSet<ConfigHead>();

/** There is no use in a second write on the same state: the watch brings the key back with the next one. */
export function isOvertaken(head: ConfigHead): boolean {
  return overtaken.has(head);
}

/**
 * Writes to the very object and the very state of it that was seen: a Conflict says that it is another one by
 * now. False when it is gone, which is fine with everybody who writes here.
 */
export async function changeMetadata(
  client: KubeClient,
  seen: { head: ConfigHead; resourceVersion: string },
  change: MetadataChange,
  signal: AbortSignal,
): Promise<boolean> {
  const { kind, namespace, name, uid } = seen.head;
  const body = { metadata: { uid, resourceVersion: seen.resourceVersion, ...change } };
  try {
    await client.patch(
      configResources[kind],
      { namespace, name },
      { type: 'merge', body },
      { signal, fieldManager, canWait: true },
    );
    overtaken.add(seen.head);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
