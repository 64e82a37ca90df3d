import type { KubeClient, ListOptions, Selection } from '@trimtab/kube/client.ts';
import { listAll } from '@trimtab/kube/paging.ts';
import type { Resource } from '@trimtab/kube/resource.ts';
import { isForbidden, isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';

/**
 * Lists all objects with the rights of the client. Returns undefined when the client may not list the resource, and
 * an empty list for a resource that the cluster does not have.
 */
export async function listPermitted<T extends KubeObject>(
  client: KubeClient,
  resource: Resource,
  options: Selection & Pick<ListOptions, 'signal' | 'projection'>,
): Promise<T[] | undefined> {
  let found: T[] = [];
  try {
    for await (const page of listAll<T>(client, resource, options)) {
      if (page.type === 'restart') found = [];
      else found.push(...page.items);
    }
  } catch (error) {
    if (isForbidden(error)) return undefined;
    if (isNotFound(error)) return [];
    throw error;
  }
  return found;
}
