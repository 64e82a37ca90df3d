import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Resource } from '@trimtab/kube/resource.ts';
import { isConflict } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { fieldManager } from './cluster.ts';

/** New values by name; null removes an annotation. Undefined: nothing is to be changed. */
export type AnnotationChange = Record<string, string | null> | undefined;

const attempts = 5;

/**
 * Changes annotations of an object that was read before. When the object has changed meanwhile, it is read again and the
 * change is computed anew. Returns whether something was written.
 */
export async function editAnnotations<T extends KubeObject>(
  client: KubeClient,
  resource: Resource,
  read: T,
  change: (object: T) => AnnotationChange,
  options: { dryRun: boolean },
): Promise<boolean> {
  const { namespace, name = '' } = read.metadata;
  const where = { name, ...(namespace !== undefined && { namespace }) };
  let object = read;
  for (let attempt = 1; ; attempt++) {
    const annotations = change(object);
    if (annotations === undefined) return false;
    const { uid, resourceVersion } = object.metadata;
    const body = { metadata: { uid, resourceVersion, annotations } };
    try {
      await client.patch(resource, where, { type: 'merge', body }, { ...options, fieldManager });
      return true;
    } catch (error) {
      if (!isConflict(error) || attempt === attempts) throw error;
      object = await client.get<T>(resource, where);
    }
  }
}
